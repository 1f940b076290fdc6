import {
  GetOverview,
  GetValidators,
  GetVault,
  GetVaultManagers,
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
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { privateKeyToAccount } from 'viem/accounts';
import { openAttestationCollections } from '../src/mandates/attestations/models/collections.ts';
import { judgeInForce } from '../src/mandates/judge-in-force.ts';
import { openMandateCollections } from '../src/mandates/models/collections.ts';
import { listMandateBreaches } from '../src/mandates/use-cases/judgements.ts';
import { draftMandate, enforceMandate } from '../src/mandates/use-cases/versions.ts';
import { answersOf } from '../src/report/answers.fixture.ts';
import { openReportCollections } from '../src/report/models/collections.ts';
import { openScenarioSets } from '../src/scenarios/models/collections.ts';
import { callOf, chain_id, openScene, type Scene, secondary, vault, vault_address, viewer } from './scene.ts';

/** Mandates on a real document store; what analytics judges is stood in for. */

export const owner = privateKeyToAccount(`0x${'11'.repeat(32)}`);
export const start = Date.UTC(2026, 0, 1);
export const timeOf = (block: number): string => new Date(start + block * 1_000).toISOString();

/** What the test that runs has of its own; `openForEachTest` makes it anew. */
export let scene: Scene;
export let mandates: ReturnType<typeof openMandateCollections>;
export let signals: { id: string; subject: string; state: string; detail: string }[];

/** What the projection shows: the blocks at which the promise `idle` is broken, of those from 1 to `tip`. */
export let world: {
  generation: number;
  tip: number;
  broken: number[];
  pageLimit: number;
  /** The last block that is final. */
  final: number;
  asked: ParamsOf<typeof JudgeMandate>[];
};

export const documentOf = (more: Partial<MandateDocument> = {}): MandateDocument => ({
  format: 1,
  title: 'Core mandate',
  public: false,
  warn_at_bps: 9_000,
  promises: [{ id: 'idle', on_breach: 'warn', kind: 'idle_share', at_least_bps: 500 }],
  ...more,
});

export const limited = { promise_id: 'idle', kind: 'idle_share', bound: 'at_least', limit: 500, unit: 'bps' } as const;

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
export const monthEnd = 31 * 86_400;
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
export const call = (wallet?: string): Call => ({ ...callOf(wallet), callAction });

export const deps = (block = 1) => ({ ...scene, mandates, now: () => new Date(timeOf(block)) });
export const signed = async (version: number, document_hash: string, account = owner) => {
  const { domain, types, primaryType, message } = mandateTypedData({ chain_id, vault_address, version, document_hash });
  return account.signTypedData({ domain, types, primaryType, message } as never);
};

/** A document in force from a block on. */
export async function enforced(document = documentOf(), replaces = 0, block = 1) {
  const drafted = await draftMandate(deps(block))({ ...vault, document, replaces }, call(secondary));
  const signature = await signed(drafted.version, drafted.document_hash);
  return enforceMandate(deps(block))({ ...vault, version: drafted.version, signature }, call(owner.address));
}

export const watch = () =>
  judgeInForce({
    ...scene,
    mandates,
    callAction,
    signal: async (one) => {
      if (!signals.some(({ id }) => id === one.id)) signals.push(one);
    },
  })(vault);
export const ledger = async (who: string | undefined = viewer) =>
  (await listMandateBreaches(deps())({ ...vault, limit: 100 }, call(who))).breaches;
export const rows = async () => (await scene.storedRows()).map(({ action_type }) => action_type);

/** Empty collections, the roles of the scene and a grant for the viewer. */
async function openMandateScene(store: TestStore): Promise<void> {
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
}

/** Opens the scene before each test of a file and closes it after, over one store. */
export function openForEachTest(): void {
  let store: TestStore;
  beforeAll(async () => {
    store = await startTestStore();
  });
  afterAll(() => store.stop());
  beforeEach(() => openMandateScene(store));
  // An open connection would keep the worker that ran the file.
  afterEach(() => scene.mongo.close());
}
