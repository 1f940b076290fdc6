import { configAt, type Place, scriptedAnalyst, startInstance } from './chat-instance.ts';

/** An instance of the chat as a process of its own, that can be killed. Its place is its argument; it prints its port. */
const place = JSON.parse(process.argv[2] ?? '{}') as Place;
const onFirst = (question: string) =>
  process.send?.({ first: question, at: performance.timeOrigin + performance.now() });
const { port, stop } = await startInstance(configAt(place), scriptedAnalyst(onFirst));
process.send?.({ port });
process.once('SIGTERM', () => void stop().then(() => process.exit(0)));
