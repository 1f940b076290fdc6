import {
  ProjectionMoved,
  ProjectionStream,
  RoleStream,
  RolesChanged,
  SessionStream,
  type StreamDefinition,
  UpdateStream,
  VaultUpdated,
} from '@castellan/contracts';
import {
  connectDurable,
  createLogger,
  type DurableBus,
  defineStreams,
  type Following,
  publishDurable,
  streamNameOf,
} from '@castellan/service-kit';
import { startTestNats, type TestNats, until } from '@castellan/testkit';
import { createRevocations } from '@castellan/tokens';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createSnapshots, jsonSnapshot, type Snapshots } from '../src/cache/snapshots.ts';
import { followStreams } from '../src/follow-streams.ts';
import { createFeed, type Feed } from '../src/live/recent-updates.ts';
import { vaultAddress } from './a-vault.ts';
import { testConfig } from './harness.ts';

/** What the gateway keeps, while what it follows goes on, or does not. */

const streams = [SessionStream, UpdateStream, RoleStream, ProjectionStream];
const log = createLogger({ service: 'test', level: 'silent' });
const vaultKey = `31337:${vaultAddress.toLowerCase()}`;
const projection = 'projection 31337';
let nats: TestNats;
let bus: DurableBus;
/** Connected while the gateway is not. */
let publisher: DurableBus;
let snapshots: Snapshots;
let feed: Feed;
let followed: Following[];
let rechecked: number;
let run = 0;
/** An hour ahead of the bus. */
const now = () => Date.now() + 3_600_000;

beforeAll(async () => {
  nats = await startTestNats();
});
beforeEach(async () => {
  run += 1;
  rechecked = 0;
  const connect = () => connectDurable({ url: nats.url, namespace: `${nats.namespace}-${run}`, service: 'test', log });
  bus = await connect();
  publisher = await connect();
  await defineStreams(publisher, streams);
  snapshots = createSnapshots({ maxAgeMs: 3_600_000, maxBytes: 100_000, now, count: () => undefined });
  feed = createFeed({ keepMs: 360_000, maxEvents: 100, now });
  const ports = { revocations: createRevocations(now), feed, snapshots, config: testConfig(), log, now };
  followed = await followStreams(bus, ports, {
    rolesChanged: async () => {
      rechecked += 1;
    },
  });
});
afterEach(async () => {
  await Promise.all(followed.map((following) => following.stop()));
  await Promise.all([bus.nats.close(), publisher.nats.close()]);
});
afterAll(async () => {
  await nats.stop();
});

/** Whether an answer made of the subject is still kept; it is from here on. */
async function isKept(subject: string): Promise<boolean> {
  let isMade = false;
  await snapshots.get(subject, subject, async () => {
    isMade = true;
    return jsonSnapshot({});
  });
  return !isMade;
}

const move = (block_number: number) =>
  publishDurable(
    publisher,
    ProjectionMoved,
    { chain_id: 31337, block_number },
    { msgId: `move-${run}-${block_number}` },
  );

test('default: a change of roles ends what is kept of the vault, and streams are checked', async () => {
  await isKept(vaultKey);
  await isKept(projection);
  const change = { chain_id: 31337, vault_address: vaultAddress, block_number: 5 };
  await publishDurable(publisher, RolesChanged, change, { msgId: `roles-${run}` });
  await until('the change', () => rechecked === 1);
  expect([await isKept(vaultKey), await isKept(projection)]).toEqual([false, true]);
});

test('behavior: what is published after it began is heard, also after the connection was lost, whatever its clock says', async () => {
  await isKept(projection);
  await isKept(vaultKey);
  await bus.nats.reconnect();
  await move(1);
  const update = { chain_id: 31337, vault_address: vaultAddress, kind: 'vault' as const, block_number: 1 };
  await publishDurable(publisher, VaultUpdated, update, { msgId: `update-${run}` });
  await until('the move', async () => !(await isKept(projection)));
  await until('the update', async () => !(await isKept(vaultKey)));
});

test.each([UpdateStream, RoleStream, ProjectionStream])(
  'behavior: what is kept ends when messages of $name were lost',
  async (stream: StreamDefinition) => {
    await isKept(vaultKey);
    expect(feed.since(vaultKey, 0)).toEqual([]);
    await publisher.manager.streams.delete(streamNameOf(publisher.namespace, stream));
    await defineStreams(publisher, streams);
    await bus.nats.reconnect();
    await until('the gap', async () => !(await isKept(vaultKey)));
    expect(feed.since(vaultKey, 0)).toEqual(stream === UpdateStream ? undefined : []);
  },
);
