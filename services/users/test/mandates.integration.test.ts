import {
  GetOverview,
  GetValidators,
  GetVault,
  GetVaultManagers,
  type GetVaultReport,
  JudgeMandate,
  ListChains,
  type MandateDocument,
  mandateTypedData,
  type ParamsOf,
  type PromiseBreach,
  type ResultOf,
} from '@castellan/contracts';
import { type Call, ensureIndexes } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { privateKeyToAccount } from 'viem/accounts';
import { openRecordCollections } from '../src/alerts/records/models/collections.ts';
import { getMandateAttestation } from '../src/mandates/attestations/attest.ts';
import { storedAttestationKeys } from '../src/mandates/attestations/attestation-keys.ts';
import { openAttestationCollections } from '../src/mandates/attestations/models/collections.ts';
import { verifyAttestation } from '../src/mandates/attestations/verify/verify.ts';
import { judgeInForce } from '../src/mandates/judge-in-force.ts';
import { openMandateCollections } from '../src/mandates/models/collections.ts';
import {
  acknowledgeMandateBreach,
  backtestMandate,
  getMandateStatus,
  listMandateBreaches,
} from '../src/mandates/use-cases/judgements.ts';
import { draftMandate, enforceMandate, getMandate, listMandateVersions } from '../src/mandates/use-cases/versions.ts';
import { answersOf } from '../src/report/answers.fixture.ts';
import { openReportCollections } from '../src/report/models/collections.ts';
import { getVaultReport } from '../src/report/report.ts';
import { openScenarioSets } from '../src/scenarios/models/collections.ts';
import { getScenarioSet, setScenarioSet } from '../src/scenarios/use-cases/scenario-set.ts';
import { callOf, chain_id, openScene, type Scene, secondary, stranger, vault, vault_address, viewer } from './scene.ts';

/** Mandates on a real document store; what analytics judges is stood in for. */

const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const start = Date.UTC(2026, 0, 1);
const timeOf = (block: number): string => new Date(start + block * 1_000).toISOString();

let store: TestStore;
let scene: Scene;
let mandates: ReturnType<typeof openMandateCollections>;
let signals: { id: string; subject: string; state: string; detail: string }[];

/** What the projection shows: the blocks at which the promise `idle` is broken, of those from 1 to `tip`. */
let world: {
  generation: number;
  tip: number;
  broken: number[];
  pageLimit: number;
  /** The last block that is final. */
  final: number;
  asked: ParamsOf<typeof JudgeMandate>[];
};

const documentOf = (more: Partial<MandateDocument> = {}): MandateDocument => ({
  format: 1,
  title: 'Core mandate',
  public: false,
  warn_at_bps: 9_000,
  promises: [{ id: 'idle', on_breach: 'warn', kind: 'idle_share', at_least_bps: 500 }],
  ...more,
});

const limited = { promise_id: 'idle', kind: 'idle_share', bound: 'at_least', limit: 500, unit: 'bps' } as const;

function judge(params: ParamsOf<typeof JudgeMandate>): ResultOf<typeof JudgeMandate> {
  world.asked.push(params);
  const first = params.after_block ?? Math.min(world.tip, Math.floor((Date.parse(params.since) - start) / 1_000)) - 1;
  const end = Math.min(
    world.tip,
    params.until === undefined ? world.tip : Math.floor((Date.parse(params.until) - start) / 1_000),
  );
  const stop = Math.max(first, Math.min(end, first + world.pageLimit));
  const broken = world.broken.filter((block) => block > first && block <= stop);
  let open: PromiseBreach | undefined = params.open[0];
  const ended: PromiseBreach[] = [];
  for (let block = first + 1; block <= stop; block += 1) {
    const moment = { block_number: block, time: timeOf(block), value: 100 - block, subject: null };
    if (world.broken.includes(block)) open = { ...limited, started: moment, ended: null, ...open, worst: moment };
    else if (open) {
      ended.push({ ...open, ended: { block_number: block, time: timeOf(block) } });
      open = undefined;
    }
  }
  const isAny = stop > first;
  const observed = { block_number: stop, time: timeOf(stop) };
  const value = { ...limited, on_breach: 'warn', value: 100, headroom: -400, subject: null, observed } as const;
  return {
    generation: world.generation,
    observations: stop - first,
    promises: isAny ? [{ ...value, state: world.broken.includes(stop) ? 'broken' : 'held' }] : [],
    breaches: [...ended, ...(open ? [open] : [])],
    tallies: [
      {
        ...limited,
        states: { held: stop - first - broken.length, warned: 0, broken: broken.length, unknown: 0 },
        worst: isAny
          ? { ...observed, value: broken.length > 0 ? 100 - (broken.at(-1) as number) : 600, subject: null }
          : null,
      },
    ],
    first: isAny ? { block_number: first + 1, time: timeOf(first + 1) } : null,
    judged: isAny ? observed : null,
    has_more: stop < end,
  };
}

/** The block with which January ends. */
const monthEnd = 31 * 86_400;
const reportReads: Readonly<Record<string, keyof ReturnType<typeof answersOf>>> = {
  'v1.analytics.performance': 'performance',
  'v1.analytics.performanceBridge': 'bridge',
  'v1.analytics.performanceTvl': 'tvl',
  'v1.analytics.pps': 'pps',
  'v1.analytics.risk': 'risk',
  'v1.analytics.fees': 'fees',
  'v1.analytics.users': 'users',
  'v1.analytics.usersTop': 'top',
  'v1.analytics.operations': 'operations',
};

const callAction = (async ({ name }: { name: string }, params: unknown) => {
  if (name === JudgeMandate.name) return judge(JudgeMandate.params.parse(params));
  if (name === ListChains.name)
    return { chains: [{ chain_id, name: 'Local', native_symbol: 'ETH', final_time: timeOf(world.final) }] };
  if (name === GetOverview.name) return { as_of: timeOf(Math.max(world.tip, world.final)), block_number: world.tip };
  if (name === GetVault.name)
    return { name: '<b>Core', symbol: 'cUSD', asset: { symbol: 'USDC', decimals: 6 }, vault_share_decimals: 6 };
  if (name === GetValidators.name) return { config: null };
  const question = reportReads[name];
  if (question) return answersOf({ from: timeOf(0), to: timeOf(monthEnd), ...(params as object) })[question];
  if (name !== GetVaultManagers.name) throw new Error(`Nobody answers ${name}.`);
  const managers = await callOf(undefined).callAction(GetVaultManagers, vault);
  return { ...managers, primary: { ...managers.primary, wallet_address: owner.address } };
}) as unknown as Call['callAction'];
const call = (wallet?: string): Call => ({ ...callOf(wallet), callAction });

const deps = (block = 1) => ({ ...scene, mandates, now: () => new Date(timeOf(block)) });
const signed = async (version: number, document_hash: string, account = owner) => {
  const { domain, types, primaryType, message } = mandateTypedData({ chain_id, vault_address, version, document_hash });
  return account.signTypedData({ domain, types, primaryType, message } as never);
};

/** A document in force from a block on. */
async function enforced(document = documentOf(), replaces = 0, block = 1) {
  const drafted = await draftMandate(deps(block))({ ...vault, document, replaces }, call(secondary));
  const signature = await signed(drafted.version, drafted.document_hash);
  return enforceMandate(deps(block))({ ...vault, version: drafted.version, signature }, call(owner.address));
}

const watch = () =>
  judgeInForce({
    ...scene,
    mandates,
    callAction,
    signal: async (one) => {
      if (!signals.some(({ id }) => id === one.id)) signals.push(one);
    },
  })(vault);
const ledger = async (who: string | undefined = viewer) =>
  (await listMandateBreaches(deps())({ ...vault, limit: 100 }, call(who))).breaches;
const rows = async () => (await scene.storedRows()).map(({ action_type }) => action_type);

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  scene = await openScene(store);
  mandates = openMandateCollections(scene.mongo);
  openScenarioSets(scene.mongo);
  openAttestationCollections(scene.mongo);
  openReportCollections(scene.mongo);
  await ensureIndexes(scene.mongo);
  await scene.collections.grants.insertOne({
    chain_id,
    vault: vault_address.toLowerCase(),
    wallet: viewer.toLowerCase(),
    granted: true,
    granted_by: owner.address.toLowerCase(),
    granted_at: new Date(start),
    version: 1,
  });
  signals = [];
  world = { generation: 1, tip: 10, broken: [], pageLimit: 100, final: 0, asked: [] };
});

describe('versions', () => {
  test('default: a draft is put into force by a signature, and the next one supersedes it', async () => {
    const first = await enforced();
    expect(first).toMatchObject({ version: 1, state: 'in_force', signed_by: owner.address, created_by: secondary });
    await draftMandate(deps())({ ...vault, document: documentOf({ title: 'Next' }), replaces: 1 }, call(secondary));
    expect(await getMandate(deps())(vault, call(viewer))).toMatchObject({
      in_force: { version: 1 },
      draft: { version: 2, state: 'draft', document: { title: 'Next' }, signature: null },
    });
    await enforced(documentOf({ title: 'Third' }), 2);
    const { versions, total } = await listMandateVersions(deps())({ ...vault, limit: 2 }, call(viewer));
    expect(versions.map(({ version, state }) => [version, state])).toEqual([
      [3, 'in_force'],
      [2, 'draft'],
    ]);
    expect(total).toBe(3);
    expect(await rows()).toEqual([
      'mandate_drafted',
      'mandate_enforced',
      'mandate_drafted',
      'mandate_drafted',
      'mandate_enforced',
    ]);
  });

  test('behavior: pages of versions go on where the one before ended', async () => {
    for (const replaces of [0, 1, 2])
      await draftMandate(deps())({ ...vault, document: documentOf(), replaces }, call(secondary));
    const list = listMandateVersions(deps());
    const page = await list({ ...vault, limit: 2 }, call(viewer));
    const rest = await list({ ...vault, limit: 2, cursor: page.next_cursor as string }, call(viewer));
    expect(rest).toMatchObject({ versions: [{ version: 1 }], has_more: false });
    await expect(list({ ...vault, limit: 2, cursor: 'none' }, call(viewer))).rejects.toMatchObject({
      code: 'CURSOR_INVALID',
    });
  });

  test('behavior: of two drafts in place of the same version one is kept', async () => {
    const draft = () => draftMandate(deps())({ ...vault, document: documentOf(), replaces: 0 }, call(secondary));
    const done = await Promise.allSettled([draft(), draft()]);
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(draft()).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(await rows()).toEqual(['mandate_drafted']);
  });

  test('security: only the primary manager with a signature of their own over this very version', async () => {
    const drafted = await draftMandate(deps())({ ...vault, document: documentOf(), replaces: 0 }, call(secondary));
    const enforce = (signature: string, who: string) =>
      enforceMandate(deps())({ ...vault, version: 1, signature }, call(who));
    const good = await signed(1, drafted.document_hash);
    await expect(enforce(good, secondary)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    const others = [
      await signed(2, drafted.document_hash),
      await signed(1, `0x${'00'.repeat(32)}`),
      await signed(1, drafted.document_hash, privateKeyToAccount(`0x${'22'.repeat(32)}`)),
      '0x1234',
    ];
    for (const signature of others)
      await expect(enforce(signature, owner.address)).rejects.toMatchObject({ code: 'MANDATE_SIGNATURE_INVALID' });
    await enforce(good, owner.address);
    await expect(enforce(good, owner.address)).rejects.toMatchObject({ code: 'MANDATE_ENFORCED' });
  });

  test('security: without a role there is a mandate only once it is in force and public', async () => {
    const seenBy = async (who: string | undefined) => {
      const [{ in_force, draft }, { version }, { breaches }] = await Promise.all([
        getMandate(deps())(vault, call(who)),
        getMandateStatus(deps())(vault, call(who)),
        listMandateBreaches(deps())({ ...vault, limit: 10 }, call(who)),
      ]);
      return [in_force?.version ?? null, draft?.version ?? null, version, breaches.length];
    };
    world.broken = [3];
    await enforced();
    await watch();
    for (const who of [undefined, stranger]) expect(await seenBy(who)).toEqual([null, null, null, 0]);
    expect(await seenBy(viewer)).toEqual([1, null, 1, 1]);
    await enforced(documentOf({ public: true }), 1, 10);
    await draftMandate(deps())({ ...vault, document: documentOf(), replaces: 2 }, call(secondary));
    // Breaches of the version that was not public stay with those who have a role.
    for (const who of [undefined, stranger]) expect(await seenBy(who)).toEqual([2, null, 2, 0]);
    expect(await seenBy(viewer)).toEqual([2, 3, 2, 1]);
    await expect(listMandateVersions(deps())({ ...vault, limit: 9 }, call(stranger))).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
    const document = documentOf();
    for (const who of [viewer, stranger])
      await expect(draftMandate(deps())({ ...vault, document, replaces: 3 }, call(who))).rejects.toMatchObject({
        code: 'ROLE_REQUIRED',
      });
  });
});

describe('the ledger', () => {
  const spans = async () =>
    (await ledger()).map(({ started, worst, ended }) => [
      started.block_number,
      worst.block_number,
      ended?.block_number ?? null,
    ]);

  test('default: a breach has its start, worst and end, rows of the audit log and an alert', async () => {
    await enforced();
    world.broken = [4, 5];
    world.tip = 5;
    await watch();
    expect(await spans()).toEqual([[4, 5, null]]);
    expect(await getMandateStatus(deps(5))(vault, call(viewer))).toMatchObject({ state: 'broken', open_breaches: 1 });
    world.tip = 8;
    world.broken = [4, 5, 6];
    await watch();
    expect(await spans()).toEqual([[4, 6, 7]]);
    expect(signals).toMatchObject([
      { subject: 'idle', state: 'failing', detail: expect.stringContaining('at least 5.00% is promised') },
      { subject: 'idle', state: 'ok' },
    ]);
    expect((await rows()).slice(2)).toEqual(['mandate_breached', 'mandate_breach_ended']);
    expect(world.asked.at(-1)).toMatchObject({ after_block: 5, open: [{ promise_id: 'idle' }] });
  });

  test('behavior: judged live page by page it is what a back-test of the same blocks finds, and again it is the same', async () => {
    await enforced();
    world.broken = [2, 3, 6, 8, 9];
    world.pageLimit = 2;
    for (const tip of [1, 4, 5, 9, 10]) {
      world.tip = tip;
      await watch();
    }
    const live = await ledger();
    await watch();
    expect(await ledger()).toEqual(live);
    const range = { from: timeOf(1), to: timeOf(10) };
    const tried = await backtestMandate(deps())({ ...vault, document: documentOf(), ...range }, call(viewer));
    expect(live.map(({ started, worst, ended }) => ({ ...limited, started, worst, ended }))).toEqual(tried.breaches);
    expect(tried).toMatchObject({
      observations: 10,
      truncated: false,
      promises: [{ promise_id: 'idle', breaches: 3, broken_seconds: 5 }],
    });
  });

  test('reorg: under another projection all is judged again; what did not happen leaves the ledger and its alert', async () => {
    await enforced();
    world.broken = [3, 9, 10];
    await watch();
    const { breach_id } = (await ledger()).at(-1) as { breach_id: string };
    await acknowledgeMandateBreach(deps())({ ...vault, breach_id, note: 'Seen' }, call(secondary));
    world.generation = 2;
    world.broken = [3];
    await watch();
    expect(await ledger()).toMatchObject([{ breach_id, note: 'Seen', acknowledged_by: secondary }]);
    expect(signals.map(({ state }) => state)).toEqual(['ok', 'failing', 'ok']);
  });

  test('behavior: a new version ends what was open under the one before', async () => {
    await enforced();
    world.broken = [5];
    world.tip = 5;
    await watch();
    await enforced(documentOf({ title: 'Next' }), 1, 6);
    world.tip = 7;
    await watch();
    expect(await ledger()).toMatchObject([{ version: 1, superseded: true, ended: null }]);
    expect(signals.map(({ state }) => state)).toEqual(['failing', 'ok']);
    expect(await getMandateStatus(deps(7))(vault, call(viewer))).toMatchObject({ version: 2, open_breaches: 0 });
  });

  test('behavior: an acknowledgement stays with who made it first, and its note can change', async () => {
    await enforced();
    world.broken = [4];
    await watch();
    const { breach_id } = (await ledger())[0] as { breach_id: string };
    const acknowledge = (who: string, note: string) =>
      acknowledgeMandateBreach(deps())({ ...vault, breach_id, note }, call(who));
    await acknowledge(secondary, 'Looking');
    expect(await acknowledge(owner.address, 'Rebalanced')).toMatchObject({
      acknowledged_by: secondary,
      note: 'Rebalanced',
    });
    await expect(acknowledge(viewer, 'No')).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    const unknown = { ...vault, breach_id: 'mb_0' };
    await expect(acknowledgeMandateBreach(deps())(unknown, call(secondary))).rejects.toMatchObject({
      code: 'BREACH_NOT_FOUND',
    });
  });

  test('default: without a mandate in force nothing is judged', async () => {
    await watch();
    expect(world.asked).toEqual([]);
    expect(await getMandateStatus(deps())(vault, call(viewer))).toMatchObject({ version: null, promises: [] });
  });
});

/** A mandate that came into force ten seconds before the end of January, looked at from February on. */
describe('a month', () => {
  const day = 86_400;
  const key = Buffer.alloc(32, 7);
  const keysAt = (block: number, secret = key) =>
    storedAttestationKeys({
      ...scene,
      keys: openAttestationCollections(scene.mongo),
      secret,
      rotationSeconds: 365 * day,
      now: () => new Date(timeOf(block)),
    });
  const attesting = (block: number) => ({
    ...deps(block),
    attestations: openAttestationCollections(scene.mongo),
    attestationKeys: keysAt(block),
  });
  const attestation = (period = '2026-01', who: string | null = viewer, block = monthEnd + 100) =>
    getMandateAttestation(attesting(block))({ ...vault, period }, call(who ?? undefined));
  const published = async (block: number) => JSON.stringify({ keys: await keysAt(block).published() });
  const begin = async (document = documentOf()) => {
    await enforced(document, 0, monthEnd - 10);
    world.tip = monthEnd + 10;
    world.final = monthEnd + 5;
    world.pageLimit = 4;
  };

  test('default: it is attested once it is final, once, by a key of its own, and verifies by what is published', async () => {
    await begin();
    world.broken = [monthEnd - 7, monthEnd - 2, monthEnd - 1, monthEnd, monthEnd + 1];
    await watch();
    const { breach_id } = (await ledger()).at(-1) as { breach_id: string };
    await acknowledgeMandateBreach(deps())({ ...vault, breach_id, note: 'Seen' }, call(secondary));
    world.final = monthEnd - 1;
    await expect(attestation()).rejects.toMatchObject({ code: 'MONTH_NOT_FINAL' });
    world.final = monthEnd;
    const files = await Promise.all([attestation(), attestation(), attestation()]);
    world.broken = [];
    expect(
      new Set([...files, await attestation('2026-01', viewer, monthEnd + day)].map((file) => JSON.stringify(file)))
        .size,
    ).toBe(1);
    const { statement } = await verifyAttestation(JSON.stringify(files[0]), await published(monthEnd + 100));
    expect(statement).toMatchObject({
      verdict: 'breached',
      mandates: [{ observations: 11, from: timeOf(monthEnd - 10), to: timeOf(monthEnd) }],
    });
    const [promise] = statement.mandates[0]?.promises ?? [];
    expect(promise).toMatchObject({ states: { held: 7, broken: 4 }, worst: { block_number: monthEnd } });
    expect(
      promise?.breaches.map(({ started, ended, note }) => [started.block_number, ended?.block_number ?? null, note]),
    ).toEqual([
      [monthEnd - 7, monthEnd - 6, 'Seen'],
      [monthEnd - 2, null, null],
    ]);
    expect((await rows()).filter((row) => /attest/.test(row))).toEqual(['attestation_key_rotated', 'mandate_attested']);
  });

  test('behavior: a breach of the month before is known by its true beginning', async () => {
    await begin();
    world.broken = [monthEnd - 2, monthEnd - 1, monthEnd, monthEnd + 1];
    world.final = 59 * day + 5;
    const { statement } = await verifyAttestation(
      JSON.stringify(await attestation('2026-02', viewer, 59 * day + 5)),
      await published(59 * day),
    );
    const [promise] = statement.mandates[0]?.promises ?? [];
    expect(promise?.breaches).toMatchObject([
      { started: { block_number: monthEnd - 2 }, ended: { block_number: monthEnd + 2 } },
    ]);
    expect(promise?.states).toMatchObject({ broken: 1 });
  });

  test('behavior: only who may read the mandate may read its attestation; of no mandate there is none', async () => {
    await begin();
    await attestation();
    for (const who of [null, stranger])
      await expect(attestation('2026-01', who)).rejects.toMatchObject({ code: 'MANDATE_NOT_FOUND' });
    await expect(attestation('2025-12')).rejects.toMatchObject({ code: 'MANDATE_NOT_FOUND' });
    await enforced(documentOf({ public: true }), 1, monthEnd + 1);
    world.final = 59 * day + 1;
    await expect(attestation('2026-01', stranger)).rejects.toMatchObject({ code: 'MANDATE_NOT_FOUND' });
    await expect(attestation('2026-03', null)).rejects.toMatchObject({ code: 'MONTH_NOT_FINAL' });
  });

  test('behavior: after a year another key signs, made once by two at the same time; the former one stays published', async () => {
    const [first, again] = await Promise.all([keysAt(0).active(), keysAt(0).active()]);
    expect(again.kid).toBe(first.kid);
    expect((await keysAt(364 * day).active()).kid).toBe(first.kid);
    const later = 366 * day;
    const [next, other] = await Promise.all([keysAt(later).active(), keysAt(later).active()]);
    expect(other.kid).toBe(next.kid);
    expect(next.kid).not.toBe(first.kid);
    const set = await keysAt(later).published();
    expect(set.map(({ kid, castellan_from, castellan_until }) => [kid, castellan_from, castellan_until])).toEqual([
      [next.kid, timeOf(later), null],
      [first.kid, timeOf(0), timeOf(later)],
    ]);
    expect(JSON.stringify(set)).not.toContain('"d"');
    const { keys, keyHistory } = openAttestationCollections(scene.mongo);
    // The private part of the former one is gone, and after a restored backup that of the newest too.
    expect(await keys.countDocuments({})).toBe(1);
    await keys.deleteMany({});
    expect((await keysAt(later).active()).kid).not.toBe(next.kid);
    expect(await keysAt(later).published()).toHaveLength(3);
    // What somebody else writes is no key, and what they take for one is not published.
    await keyHistory.insertOne({ _id: 'foreign', generation: 9, created_at: new Date(), sealed_public_jwk: 'v1:AAAA' });
    await keyHistory.updateOne({ _id: first.kid }, { $set: { created_at: new Date(0) } });
    expect((await keysAt(later).published()).map(({ kid }) => kid)).not.toContain('foreign');
    expect(await keysAt(later).published()).toHaveLength(2);
    await expect(keysAt(later, Buffer.alloc(32, 8)).published()).rejects.toThrow();
  });

  describe('its report', () => {
    const report = async (more: Partial<ParamsOf<typeof GetVaultReport>> = {}, who?: string) => {
      const reporting = {
        ...deps(monthEnd + 100),
        alerts: openRecordCollections(scene.mongo),
        reports: openReportCollections(scene.mongo),
      };
      const asked = { ...vault, period: '2026-01', edition: 'public', format: 'json', ...more } as const;
      return getVaultReport(reporting)(asked, call(who));
    };

    test('default: a final month is kept and has the same bytes ever after, made by two at the same time too', async () => {
      await begin(documentOf({ public: true }));
      const [first, second] = await Promise.all([report(), report()]);
      world.broken = [monthEnd];
      expect(second).toEqual(first);
      expect(await report()).toEqual(first);
      expect(first.state).toBe('final');
      expect(JSON.parse(first.text)).toMatchObject({
        state: 'final',
        period: '2026-01',
        vault_name: '<b>Core',
        to: timeOf(monthEnd),
      });
      const page = await report({ format: 'html' });
      expect(page.text).toContain(first.sha256);
      expect(page.text).toContain('Core mandate, version 1');
      expect(page.text).not.toContain('<b>Core');
      expect(await openReportCollections(scene.mongo).reports.countDocuments({})).toBe(1);
    });

    test('behavior: a month that is not final is a preview, and nothing of it is kept', async () => {
      world.tip = 20;
      const { state, text } = await report();
      expect([state, JSON.parse(text).reads[0].address]).toEqual([
        'preview',
        expect.stringContaining('block=20&from=2026-01-01'),
      ]);
      expect(await openReportCollections(scene.mongo).reports.countDocuments({})).toBe(0);
      await expect(report({ period: '2026-02' })).rejects.toMatchObject({ code: 'PERIOD_UNKNOWN' });
    });

    test('error: the full edition takes a role, also where it is kept; the public one has no mandate that is not public', async () => {
      await begin();
      const full = await report({ edition: 'full' }, viewer);
      expect(full.text).toContain('Core mandate, version 1');
      expect(full.text).toContain('"Alerts"');
      for (const who of [undefined, stranger])
        await expect(report({ edition: 'full' }, who)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
      const open = await report({}, viewer);
      expect(open.text).not.toContain('Core mandate');
      expect(open.text).not.toContain('"Alerts"');
    });
  });
});

describe('scenarios of the risk table', () => {
  const set = () => ({ ...deps(), scenarios: openScenarioSets(scene.mongo) });
  const choice = {
    ...vault,
    shocks: 'loss:0.5:all,run:5',
    names: [{ source_address: vault_address, protocol: 'Aave' }],
  };

  test('default: the usual ones until a manager chooses others, which is a row of the audit log', async () => {
    const before = await getScenarioSet(set())(vault, call(viewer));
    expect(before).toMatchObject({ version: 0, names: [], changed_by: null });
    const chosen = await setScenarioSet(set())({ ...choice, replaces: 0 }, call(secondary));
    expect(chosen).toMatchObject({ shocks: 'loss:0.5:all,run:5', version: 1, changed_by: secondary });
    expect(await getScenarioSet(set())(vault, call(viewer))).toEqual(chosen);
    await setScenarioSet(set())({ ...choice, shocks: 'gas:2', replaces: 1 }, call(owner.address));
    expect(await rows()).toEqual(['scenarios_changed', 'scenarios_changed']);
  });

  test('error: of two at once one is kept, and one who knew another version is refused', async () => {
    const choose = (replaces: number) => setScenarioSet(set())({ ...choice, replaces }, call(secondary));
    const done = await Promise.allSettled([choose(0), choose(0)]);
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const known of [0, 7]) await expect(choose(known)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(await rows()).toEqual(['scenarios_changed']);
  });

  test('error: viewers choose nothing, and strangers see nothing', async () => {
    await expect(setScenarioSet(set())({ ...choice, replaces: 0 }, call(viewer))).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
    await expect(getScenarioSet(set())(vault, call(stranger))).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });
});
