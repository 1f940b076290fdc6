/**
 * Prints what the validators publish on the bus: `node docs/examples/follow-validators.ts "$(cat .castellan/secrets/nats-url-reader)"`.
 * Every event is delivered at least once and in order; `id` names it, `seq` counts per node.
 */
import { type SubscribeOptions, type Subscription, subscribe } from '@castellan/events';

/** @param print - Gets a line for each event. */
export function followValidators(
  url: string,
  print: (line: string) => void,
  options: SubscribeOptions = {},
): Promise<Subscription> {
  /** The last number heard of each node: one that is not above it was delivered before, one that skips lost something. */
  const heard = new Map<string, number>();
  return subscribe(
    url,
    {
      validator: ({ name, data: { node_id, seq, t, id: _id, ...content } }) => {
        const last = heard.get(node_id);
        if (last !== undefined && seq <= last) return;
        if (last !== undefined && seq > last + 1) print(`${node_id}: ${seq - last - 1} events were lost`);
        heard.set(node_id, seq);
        print(`${t} ${node_id} ${name} ${JSON.stringify(content)}`);
      },
    },
    options,
  );
}

if (import.meta.main) {
  const url = process.argv[2] ?? 'nats://127.0.0.1:4222';
  // Its place is kept: started again, it goes on behind what it handled.
  const following = await followValidators(url, (line) => process.stdout.write(`${line}\n`));
  process.once('SIGINT', () => void following.stop());
}
