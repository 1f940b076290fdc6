import { UpdateStream, type VaultUpdate, VaultUpdated } from '@castellan/contracts';
import { connectDurable, createLogger, type DurableBus, defineStreams, publishDurable } from '@castellan/service-kit';
import { type OwnNats, startOwnNats } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PublishedUpdates } from './published-updates.ts';

/** What the soak holds its listeners against, on a bus of its own. */

const vault = { chain_id: 31337, vault_address: '0x5FbDB2315678afecb367f032d93F642f64180aa3' };
const another = { ...vault, vault_address: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512' };
const third = { ...vault, vault_address: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0' };

let nats: OwnNats;
let bus: DurableBus;
beforeAll(async () => {
  nats = await startOwnNats();
  const log = createLogger({ service: 'test', level: 'silent' });
  bus = await connectDurable({ url: nats.url, namespace: 'published', service: 'test', log });
  await defineStreams(bus, [UpdateStream]);
});
afterAll(async () => {
  await bus?.nats.close();
  await nats?.stop();
});

const publish = async (of: typeof vault, kind: VaultUpdate['kind']): Promise<number> => {
  const update = { ...of, kind, block_number: 7 } as VaultUpdate;
  return (await publishDurable(bus, VaultUpdated, update, { msgId: crypto.randomUUID() })).seq;
};

test('default: the numbers of what the public of one vault hears, from the first message to the last', async () => {
  const first = await publish(vault, 'pps');
  await publish(another, 'pps');
  const updates = await PublishedUpdates.open(vault, bus);
  expect(await updates.isAtEnd()).toBe(true);
  await publish(vault, 'alert');
  const whole = await publish(vault, 'vault');
  const last = await publish(vault, 'call');
  expect(await updates.isAtEnd()).toBe(true);
  expect(updates).toMatchObject({ ids: [first, last], vaults: [whole], upTo: last, lost: 0 });
});

test('error: what the stream had to give up before it was read is counted', async () => {
  const updates = await PublishedUpdates.open(third, bus);
  await updates.isAtEnd();
  const gone = await publish(third, 'pps');
  const left = await publish(third, 'pps');
  await bus.manager.streams.purge(`published_${UpdateStream.name}`, { seq: left });
  await updates.isAtEnd();
  expect(updates.lost).toBe(left - gone);
  expect(updates.ids).not.toContain(gone);
  expect(updates.ids.at(-1)).toBe(left);
});
