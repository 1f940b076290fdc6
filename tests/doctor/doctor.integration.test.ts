import { busServices, type StreamDefinition } from '@castellan/contracts';
import {
  connectDurable,
  connectMongo,
  createLogger,
  createRegistry,
  type DurableBus,
  defineStreams,
  ensureIndexes,
} from '@castellan/service-kit';
import { type OwnNats, startOwnNats, startTestStore, type TestStore, testKeysEnv } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openAuditCollections } from '../../services/users/src/audit/models/collections.ts';
import { runCastellan } from '../../tools/castellan/commands.ts';
import { examine } from '../../tools/castellan/doctor/doctor.ts';
import type { Finding } from '../../tools/castellan/doctor/finding.ts';
import { checkStore } from '../../tools/castellan/doctor/store.ts';

/** The command as an operator runs it in the container of one service. */
let store: TestStore;
let nats: OwnNats;
let bus: DurableBus;
let mongo: Awaited<ReturnType<typeof connectMongo>>;
const streams: StreamDefinition[] = [
  ...new Map(
    Object.values(busServices)
      .flatMap(({ defines }): readonly StreamDefinition[] => defines)
      .map((stream) => [stream.name, stream]),
  ).values(),
];

beforeAll(async () => {
  [store, nats] = await Promise.all([startTestStore(), startOwnNats()]);
  const log = createLogger({ service: 'test', level: 'silent' });
  bus = await connectDurable({ ...nats, service: 'test', log });
  mongo = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('test') });
  openAuditCollections(mongo);
});
afterAll(async () => {
  await mongo?.close();
  await bus?.nats.close();
  await Promise.all([store?.stop(), nats?.stop()]);
});
beforeEach(async () => {
  await defineStreams(bus, streams);
  await ensureIndexes(mongo);
});

const env = () => ({
  ...testKeysEnv('users'),
  NATS_URL: nats.url,
  NATS_NAMESPACE: nats.namespace,
  MONGODB_URI: store.uri,
  MONGODB_DATABASE: store.database,
  NOTIFICATIONS_KEY: 'f0e1d2c3b4a5968778695a4b3c2d1e0f'.repeat(2),
});

/** @returns the exit code, and what is not well. */
async function doctor(over: Record<string, string> = {}, state = 'fault'): Promise<{ code: number; found: string[] }> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  const code = await runCastellan(['doctor', '--service', 'users', '--json'], {
    env: { ...env(), ...over },
    out,
    err: out,
  });
  const findings = JSON.parse(text) as Finding[];
  expect(findings.every(({ state, remedy }) => (state === 'ok') === (remedy === null))).toBe(true);
  return {
    code,
    found: findings.flatMap((finding) => (finding.state === state ? [`${finding.check}: ${finding.found}`] : [])),
  };
}

test('default: what runs as it should ends with 0', async () => {
  expect(await doctor()).toEqual({ code: 0, found: [] });
});

test('error: a stream that is missing, and one with other limits', async () => {
  await bus.manager.streams.delete(`${nats.namespace}_AUDIT`);
  expect(await doctor()).toMatchObject({ code: 1, found: [expect.stringContaining('_AUDIT cannot be read')] });
  await defineStreams(bus, streams);
  const { config } = await bus.manager.streams.info(`${nats.namespace}_AUDIT`);
  await bus.manager.streams.update(config.name, { ...config, max_age: 3_600_000_000_000 });
  expect(await doctor()).toMatchObject({ code: 1, found: [expect.stringContaining('keeps messages for 3600 s')] });
});

test('behavior: streams without a limit are warned of, for they may fill the disk and no alert says so before', async () => {
  const found = 'bus: the streams that it defines have no limit';
  expect((await doctor({}, 'warning')).found).toContain(found);
  expect((await doctor({ NATS_STREAMS_MAX_MB: '6000' }, 'warning')).found).not.toContain(found);
});

test('error: an index that is missing, a newer schema, and a restore that has not ended', async () => {
  await mongo.collection('audit_log').dropIndex('seq_1');
  expect(await doctor()).toMatchObject({ code: 1, found: [expect.stringContaining('audit_log (seq)')] });
  await ensureIndexes(mongo);
  const versions = mongo.collection<{ _id: string; version: number }>('schema_versions');
  await versions.insertOne({ _id: 'audit_log', version: 99 });
  expect(await doctor()).toMatchObject({ code: 1, found: [expect.stringContaining('audit_log has version 99')] });
  await versions.deleteOne({ _id: 'audit_log' });
  const notes = mongo.collection<{ _id: string; backup: string; ended_at: Date | null }>('restores');
  await notes.insertOne({ _id: 'restore', backup: 'one', ended_at: null });
  expect(await doctor()).toMatchObject({ code: 1, found: [expect.stringContaining('is half restored')] });
  await notes.deleteOne({ _id: 'restore' });
});

test('security: a user of the bus who may publish what no service publishes', async () => {
  const open = nats.url.replace('nats://', 'nats://users:password@');
  const found = ['bus: users may publish what it should not'];
  expect(await doctor({ NATS_URL: open })).toEqual({ code: 1, found });
});

test('error: a store whose clock differs, and one that is not there', async () => {
  const at = { service: 'users', mongo: { uri: store.uri, database: store.database } } as const;
  const faults = (findings: readonly Finding[]) =>
    findings.flatMap(({ state, found }) => (state === 'fault' ? [found] : []));
  expect(faults(await checkStore(at))).toEqual([]);
  // The answer may take longer on its way back than there, or the other way round.
  expect(faults(await checkStore(at, () => Date.now() - 10_000))).toEqual([
    expect.stringMatching(/ (9|1[01])\.\d s ahead$/),
  ]);
  const away = { ...at, mongo: { ...at.mongo, uri: 'mongodb://127.0.0.1:1' } };
  expect(faults(await checkStore(away))).toEqual([expect.stringContaining('cannot be read')]);
});

test('error: a database that no service has started on, and a bus that is not there', async () => {
  const empty = await doctor({ MONGODB_DATABASE: `${store.database}_empty` });
  expect(empty).toMatchObject({ code: 1, found: [expect.stringContaining('has no collection')] });
  const away = await doctor({ NATS_URL: 'nats://127.0.0.1:1' });
  expect(away).toMatchObject({ code: 1, found: [expect.stringContaining('bus: it cannot be reached')] });
});

test('behavior: the keeper reaches the database of the vaults by a user of its own', async () => {
  const of = async (uri: string) => {
    const env = { ...testKeysEnv('keeper'), NATS_URL: nats.url, NATS_NAMESPACE: nats.namespace, MONGODB_URI: uri };
    const found = await examine([{ name: 'keeper', env }]);
    return found.filter(({ check }) => check === 'store');
  };
  expect(await of(store.uri)).toContainEqual(
    expect.objectContaining({ subject: 'keeper', state: 'ok', found: 'castellan_vaults can be read' }),
  );
  expect(await of('mongodb://keeper:former@127.0.0.1:1')).toEqual([
    expect.objectContaining({ subject: 'keeper', state: 'fault', found: expect.stringContaining('cannot be read') }),
  ]);
});
