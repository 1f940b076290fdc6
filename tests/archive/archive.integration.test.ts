import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogEntry } from '@castellan/contracts';
import { connectMongo, createRegistry, ensureIndexes } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProjectionStore } from '../../services/analytics/src/adapters/projection-store.mongo.ts';
import { CHAIN } from '../../services/analytics/src/domain/chain-log.fixture.ts';
import { blocksSubject, vaultSubject } from '../../services/analytics/src/domain/facts.ts';
import { played, type Step, steps } from '../../services/analytics/src/domain/random-vault.fixture.ts';
import { openCollections } from '../../services/analytics/src/models/collections.ts';
import { projectPage } from '../../services/analytics/src/projector/project.ts';
import { reorganised } from '../../services/analytics/test/fake-vaults.ts';
import { folderPlace } from '../../services/vaults/src/log/adapters/archive-place.ts';
import { mongoChainLog } from '../../services/vaults/src/log/adapters/chain-log.mongo.ts';
import { chainLogCollection } from '../../services/vaults/src/log/models/chain-log.ts';
import { logArchives } from '../../services/vaults/src/log/models/log-archive.ts';
import type { ArchivePlace } from '../../services/vaults/src/log/ports.ts';
import { archiveLog } from '../../services/vaults/src/log/use-cases/archive-log.ts';
import { runCastellan } from '../../tools/castellan/commands.ts';
import { checkArchive } from '../../tools/castellan/doctor/archive.ts';

/** The log of a chain whose older entries are in files: what reads it does not notice. */

type Mongo = Awaited<ReturnType<typeof connectMongo>>;
type Archiving = Parameters<typeof archiveLog>[0];

let server: TestStore;
let mongo: Mongo;
let folder: string;
let chains = 0;

beforeAll(async () => {
  server = await startTestStore();
  mongo = await connectMongo({ uri: server.uri, database: server.database, registry: createRegistry('test') });
  mongoChainLog(mongo);
  await ensureIndexes(mongo);
  folder = mkdtempSync(join(tmpdir(), 'castellan-archive-'));
});
afterAll(async () => {
  await mongo?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const FORK = 30;
const happens = fc.sample(
  fc.array(
    steps(1).map(([one]) => one as Step),
    { minLength: 40, maxLength: 40 },
  ),
  {
    seed: 13,
    numRuns: 1,
  },
)[0] as Step[];
const before = played(happens);
const stays = played(happens.slice(0, FORK - 2));
const after = played([...happens.slice(0, FORK - 2), ...happens.toReversed().slice(0, 10)]);
/** One vault, with a rollback. */
const entries = reorganised(before.entries, after.entries, FORK, stays.chain.time);
const vault = after.vault.toLowerCase();
const everything = { block: Number.MAX_SAFE_INTEGER, time: '9999' };

/** The same log under the number of another chain, and what reads it. */
async function aLog(length = entries.length) {
  chains += 1;
  const chainId = CHAIN + chains;
  const whole = entries.slice(0, length).map((entry): LogEntry => ({ ...entry, chain_id: chainId }));
  const documents = whole.map((entry) => {
    const { seq, vault_address } = entry;
    return { _id: `${chainId}:${seq}`, ...entry, key: `key ${seq}`, vault: vault_address?.toLowerCase() ?? null };
  });
  await chainLogCollection(mongo).insertMany(documents);
  const archive = (options: Partial<Archiving> = {}) =>
    archiveLog({
      db: mongo.db as unknown as Archiving['db'],
      place: folderPlace(folder),
      chainId,
      before: everything,
      now: () => new Date(0),
      say: () => undefined,
      rangeEntries: 10,
      ...options,
    });
  const stored = () => chainLogCollection(mongo).countDocuments({ chain_id: chainId });
  return { chainId, whole, archive, stored, log: mongoChainLog(mongo, undefined, folder) };
}

async function paged(log: ReturnType<typeof mongoChainLog>, chainId: number, limit: number): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  for (;;) {
    const page = await log.page(chainId, found.at(-1)?.seq ?? 0, limit);
    if (page.length === 0) return found;
    found.push(...page);
  }
}

const observed = ['state_observed', 'UpkeepSpent', 'PPSUpdated'];
const deployed = ['VaultDeployed', 'VaultFeeConfigProposed', 'RedeemRequest'];
const anyReport = () => true;
/** Every other read of the log, of a moment. */
const answers = async (log: ReturnType<typeof mongoChainLog>, chainId: number, since: string) =>
  JSON.parse(
    JSON.stringify({
      head: await log.headSeq(chainId),
      since: await log.livingOfVault(chainId, vault, observed, { since }),
      ofVault: await log.livingOfVault(chainId, vault, deployed),
      newest: await log.newestOfVault(chainId, vault, 'PPSUpdated', anyReport),
    }).replaceAll(`"chain_id":${chainId}`, '"chain_id":0'),
  );

test('property: wherever a log is cut and however it is paged, it reads as if nothing had been archived', async () => {
  const { chainId: untouched, log: unarchived } = await aLog();
  const lastBlock = Math.max(...entries.map(({ block_number }) => block_number));
  const cut = fc.record({ block: fc.integer({ min: 1, max: lastBlock + 5 }), size: fc.integer({ min: 1, max: 60 }) });
  const scene = fc.record({
    cuts: fc.array(cut, { minLength: 1, maxLength: 3 }),
    limit: fc.integer({ min: 1, max: 70 }),
    from: fc.nat({ max: entries.length - 1 }),
  });
  await fc.assert(
    fc.asyncProperty(scene, async ({ cuts, limit, from }) => {
      const { chainId, whole, archive, stored, log } = await aLog();
      let archived = 0;
      for (const { block, size } of cuts)
        archived += await archive({ before: { block, time: '9999' }, rangeEntries: size });
      expect(await stored()).toBeLessThanOrEqual(whole.length);
      expect(archived).toBeLessThan(whole.length);
      expect(await paged(log, chainId, limit)).toEqual(whole);
      const page = await log.page(chainId, from, limit);
      expect(page.length).toBeGreaterThan(0);
      expect(page).toEqual(whole.slice(from, from + page.length));
      const since = whole[from]?.block_time ?? '';
      expect(await answers(log, chainId, since)).toEqual(await answers(unarchived, untouched, since));
    }),
    { numRuns: 6, seed: 2026 },
  );
});

test('default: what is only paged leaves the store, what is read by name and the newest entry stay', async () => {
  const { chainId, whole, archive, stored } = await aLog();
  expect(await archive()).toBe(Math.floor((whole.length - 1) / 10) * 10);
  const names = await chainLogCollection(mongo).distinct('name', { chain_id: chainId });
  expect(names).toEqual(expect.arrayContaining(['PPSUpdated', 'RedeemRequest', 'VaultDeployed', 'rollback']));
  expect(await stored()).toBeLessThan(whole.length / 2);
  const [first, ...rest] = await logArchives.open(mongo).find({ chain_id: chainId }).sort({ to_seq: 1 }).toArray();
  expect(first).toMatchObject({ from_seq: 1, to_seq: 10, count: 10, removed_at: new Date(0) });
  expect(logArchives.shape.safeParse(first).error).toBeUndefined();
  expect(rest.length).toBeGreaterThan(2);
  // Nothing is left to do.
  expect(await archive()).toBe(0);
});

test('behavior: entries of the day or block that is kept stay, and whatever follows them', async () => {
  const { whole, archive } = await aLog();
  const { block_time: time = '', seq = 0 } = whole[55] ?? {};
  const early = whole.findIndex(({ block_time }) => block_time >= time);
  expect(await archive({ before: { ...everything, time } })).toBe(Math.floor(early / 10) * 10);
  expect(early).toBeLessThan(seq);
});

/** Ends an archiver at its n-th step: before it, after it, or in the middle of a removal. */
function endingAt(step: number, how: 'before' | 'within' | 'after') {
  let steps = 0;
  const counted = async <T>(work: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> => {
    steps += 1;
    if (steps !== step) return work();
    if (how === 'after') await work();
    if (how === 'within') await half?.();
    throw new Error('killed');
  };
  const real = folderPlace(folder);
  const place: ArchivePlace = {
    write: (name, content) => counted(() => real.write(name, content)),
    read: (name) => counted(() => real.read(name)),
  };
  const collection = (name: string) => {
    const on = mongo.collection(name);
    return {
      find: on.find.bind(on),
      insertOne: (document: object) => counted(() => on.insertOne(document)),
      updateOne: (filter: object, update: object) => counted(() => on.updateOne(filter, update)),
      deleteMany: (filter: object) =>
        counted(
          () => on.deleteMany(filter),
          () => on.deleteOne(filter),
        ),
    };
  };
  return { place, db: { collection } as unknown as Archiving['db'] };
}

test('behavior: killed at any step, no entry is missing, and the next run goes on', async () => {
  // Five steps a range, and the first of the next.
  for (const how of ['before', 'within', 'after'] as const)
    for (let step = 1; step <= 6; step += 1) {
      const { chainId, whole, archive, log } = await aLog(25);
      await expect(archive(endingAt(step, how))).rejects.toThrow('killed');
      expect(await paged(log, chainId, 50)).toEqual(whole);
      await archive();
      expect(await paged(log, chainId, 50)).toEqual(whole);
      const unfinished = { chain_id: chainId, removed_at: null };
      expect(await logArchives.open(mongo).countDocuments(unfinished)).toBe(0);
    }
});

test('error: an archive that cannot be read is an error that passes, and never a gap', async () => {
  const { chainId, whole, archive, log } = await aLog();
  await archive();
  const away = {
    code: 'SERVICE_UNAVAILABLE',
    retryable: true,
    message: expect.stringMatching(/(none is set|ENOENT|RangeDamaged)\. Check|no archive holds it/),
  };
  const since = whole[0]?.block_time ?? '';
  for (const place of [null, `${folder}-other`]) {
    const unset = mongoChainLog(mongo, undefined, place);
    await expect(unset.page(chainId, 0, 10)).rejects.toMatchObject(away);
    await expect(unset.livingOfVault(chainId, vault, observed, { since })).rejects.toMatchObject(away);
  }
  const [file = ''] = readdirSync(join(folder, `${chainId}`)).sort();
  const path = join(folder, `${chainId}`, file);
  const content = await folderPlace(folder).read(`${chainId}/${file}`);
  const other = await folderPlace(folder).read(`${chainId}/${readdirSync(join(folder, `${chainId}`)).sort()[1]}`);
  for (const damaged of [content.subarray(0, 100), other, Buffer.from('no archive')]) {
    writeFileSync(path, damaged);
    await expect(log.page(chainId, 0, 10)).rejects.toMatchObject(away);
  }
  writeFileSync(path, content);
  expect(await paged(log, chainId, 50)).toEqual(whole);
  await logArchives.open(mongo).deleteMany({ chain_id: chainId });
  await expect(log.page(chainId, 0, 10)).rejects.toMatchObject(away);
});

test('error: a file that cannot be read back leaves everything in the store, and so does a log with a gap', async () => {
  const { chainId, whole, archive, stored } = await aLog();
  const place = { ...folderPlace(folder), read: async () => Buffer.from('something else') };
  await expect(archive({ place })).rejects.toThrow('It cannot be unpacked.');
  expect(await logArchives.open(mongo).countDocuments({ chain_id: chainId })).toBe(0);
  await chainLogCollection(mongo).deleteOne({ chain_id: chainId, seq: 25 });
  await expect(archive({ rangeEntries: 30 })).rejects.toThrow('has a gap after entry 24');
  expect(await stored()).toBe(whole.length - 1);
});

test('error: names that may have left the store are not read by name alone', async () => {
  const { chainId, log } = await aLog();
  const refused = 'state_observed may be archived: say since when.';
  await expect(log.livingOfVault(chainId, vault, ['VaultDeployed', 'state_observed'])).rejects.toThrow(refused);
  await expect(log.newestOfVault(chainId, vault, 'state_observed', anyReport)).rejects.toThrow(refused);
  await expect(log.livingNamed(chainId, { token: 1, seq: 0, rollbacks: [] }, ['state_observed'])).rejects.toThrow(
    refused,
  );
});

test('behavior: analytics that are rebuilt from an archived log are those of the whole log', async () => {
  const { chainId, archive, log } = await aLog();
  const store = new ProjectionStore(openCollections(mongo));
  const rebuilt = async () => {
    await store.clear(await store.openCursor(chainId));
    for (let seq = 0; seq < entries.length; ) {
      const page = await log.page(chainId, seq, 23);
      const end = { head_seq: entries.length, indexed_block: null, indexed_time: null };
      await projectPage(store, await store.openCursor(chainId), { entries: page, ...end }, true);
      seq = page.at(-1)?.seq ?? entries.length;
    }
    const cursor = await store.openCursor(chainId);
    const facts = [blocksSubject, vaultSubject(after.vault)].map((subject) =>
      store.facts(cursor, subject, 0, Number.MAX_SAFE_INTEGER),
    );
    // A page that begins within a block repeats that block, and pages of an archived log end elsewhere.
    const [blocks = [], ofVault = []] = await Promise.all(facts);
    return { blocks: blocks.filter(({ block }, at) => block !== blocks[at - 1]?.block), ofVault };
  };
  const whole = await rebuilt();
  expect(whole.ofVault.length).toBeGreaterThan(60);
  await archive({ rangeEntries: 17 });
  expect(await rebuilt()).toEqual(whole);
});

test('default: the command archives what is older than the days that are kept', async () => {
  const { chainId, whole, log } = await aLog();
  const run = async (...args: string[]) => {
    let text = '';
    const write = (more: string) => {
      text += more;
    };
    const at = { env: { MONGODB_URI: server.uri }, out: write, err: write };
    const code = await runCastellan(['archive-log', ...args, '--database', `vaults=${server.database}`], at);
    return { code, text };
  };
  const chain = ['--chain', `${chainId}`, '--to', folder];
  expect(await run(...chain)).toMatchObject({ code: 1, text: expect.stringContaining('is not indexed') });
  const indexed_time = Date.parse(whole.at(-1)?.block_time ?? '') / 1000;
  await mongo
    .collection<{ _id: number; indexed_time: number }>('chain_status')
    .insertOne({ _id: chainId, indexed_time });
  // Fewer than are in one file.
  expect(await run(...chain, '--keep-days', '2')).toMatchObject({
    code: 0,
    text: `0 entries of chain ${chainId} were archived.\n`,
  });
  const asJson = await run(...chain, '--keep-days', '2', '--json');
  expect([asJson.code, asJson.text]).toEqual([
    0,
    `0 entries of chain ${chainId} were archived.\n${JSON.stringify({ chain_id: chainId, entries: 0 }, undefined, 2)}\n`,
  ]);
  expect(await paged(log, chainId, 100)).toEqual(whole);
  for (const wrong of [
    ['--keep-days', '1'],
    ['--before-block', 'x'],
    ['--to', 'https://a'],
  ])
    expect(await run(...chain, ...wrong)).toMatchObject({ code: 2 });
  expect(await run('--to', folder)).toMatchObject({ code: 2, text: expect.stringContaining('--chain takes') });
});

test('behavior: the doctor reads the newest file of each chain where vaults would', async () => {
  await logArchives.open(mongo).deleteMany({});
  const { chainId, archive } = await aLog();
  await archive();
  const look = async (LOG_ARCHIVE?: string) => {
    const env = { DEVNET_DEPLOYMENT_FILE: '/none', LOG_ARCHIVE };
    const found = await checkArchive({ name: 'vaults', env }, { uri: server.uri, database: server.database });
    return found.map(({ state, subject, found: what }) => `${state} ${subject}: ${what}`);
  };
  expect(await look(folder)).toEqual([expect.stringMatching(`^ok archive of chain ${chainId}: .* is whole$`)]);
  expect(await look()).toEqual([expect.stringMatching(/^fault .* LOG_ARCHIVE is not set$/)]);
  expect(await look(`${folder}-other`)).toEqual([expect.stringMatching(/^fault .* ENOENT/)]);
});
