import { durableEvent, stream } from '@castellan/contracts';
import { type OwnNats, startOwnNats, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { connectDurable, createLogger, defineStreams, followStream, publishDurable } from '../src/index.ts';

const Things = stream('THINGS', 'things', { maxAgeSeconds: 3600, diskPercent: 10 });
const ThingHappened = durableEvent(Things, 'thing_happened', z.object({ n: z.int() }));
const log = createLogger({ service: 'test', level: 'silent' });

let nats: OwnNats;
beforeAll(async () => {
  nats = await startOwnNats();
});
afterAll(() => nats.stop());

test('behavior: a request for messages that the server forgot is made again once two heartbeats are missing', async () => {
  const bus = await connectDurable({ url: nats.url, namespace: 'forgetful', service: 'test', log });
  await defineStreams(bus, [Things]);
  const requests: string[] = [];
  const publish = bus.nats.publish.bind(bus.nats);
  bus.nats.publish = (subject, payload, options) => {
    const isRequest = subject.startsWith('$JS.API.CONSUMER.MSG.NEXT.');
    if (isRequest) requests.push(Buffer.from(payload as Uint8Array).toString());
    if (!isRequest || requests.length > 1) publish(subject, payload, options);
  };
  const seen: number[] = [];
  const onMessage = ({ seq }: { seq: number }) => void seen.push(seq);
  const following = await followStream(bus, { stream: Things, events: [ThingHappened], from: 'start', onMessage });
  await publishDurable(bus, ThingHappened, { n: 1 }, { msgId: 'a' });
  await until('delivery', () => seen.length === 1);
  expect(JSON.parse(`${requests[0]}`)).toMatchObject({ idle_heartbeat: 2e9, expires: 1e10 });
  await following.stop();
  await bus.nats.close();
});
