import { AppError, type Caller, type FeedItem, type LogEntry, type VaultDetail } from '@castellan/contracts';
import { type Call, connectMongo, createLogger, createRegistry, ensureIndexes } from '@castellan/service-kit';
import { anAddress, type TestStore } from '@castellan/testkit';
import type { FeedItems } from '../src/feed/adapters/feed-items.mongo.ts';
import type { Thresholds } from '../src/feed/domain/notable.ts';
import { FeedFollower } from '../src/feed/follower/feed-follower.ts';
import { openFeedCollections } from '../src/feed/models/feed-collections.ts';
import { listFeed } from '../src/feed/use-cases/list-feed.ts';
import { aVault, chainId, managerAddress, vaultAddress } from './fixtures.ts';

/** The feed on a real document store; the vaults service, whose log it follows, is stood in for. */

const log = createLogger({ service: 'test', level: 'silent' });
let databases = 0;
export const thresholds: Thresholds = { largeFlowBps: 500n, ppsBps: 100n, ppsSigma: 6n };
export const [strategy, holder, secondary, stranger, zero] = [0xa3, 0xc1, 0xb2, 0xbad, 0].map(anAddress) as unknown as [
  string,
  string,
  string,
  string,
  string,
];
export const primary: string = managerAddress;

type Draft = Partial<LogEntry> & { name: string; from?: string | null };
export type FakeLog = { entries: LogEntry[]; indexed: number | null; page: number };
export const secondsPerBlock = 12;
export const timeOf = (block: number): string =>
  new Date(Date.UTC(2026, 0, 1) + block * secondsPerBlock * 1000).toISOString();
const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;

/** Entries of one transaction behind the others, and the observation of who sent it. */
export function addTo(fake: FakeLog, block: number, drafts: readonly Draft[], from: string | null = primary): void {
  const tx_hash = hashOf(block * 1000 + fake.entries.length + 1);
  const common = { chain_id: chainId, block_number: block, block_hash: hashOf(block), block_time: timeOf(block) };
  for (const draft of drafts)
    fake.entries.push({
      ...common,
      kind: 'log',
      tx_hash,
      address: strategy,
      contract: 'aggregator',
      vault_address: vaultAddress,
      args: {},
      ...draft,
      seq: fake.entries.length + 1,
      log_index: fake.entries.length,
    });
  if (from === null) return;
  fake.entries.push({
    ...common,
    kind: 'observation',
    tx_hash,
    address: null,
    contract: null,
    vault_address: null,
    log_index: null,
    name: 'transaction_observed',
    args: { from },
    seq: fake.entries.length + 1,
  });
}

export const rollBack = ({ entries }: FakeLog, block: number): void => {
  entries.push({
    chain_id: chainId,
    seq: entries.length + 1,
    kind: 'rollback',
    name: 'rollback',
    args: {},
    block_number: block,
    block_hash: hashOf(block),
    block_time: timeOf(block),
    tx_hash: null,
    log_index: null,
    address: null,
    contract: null,
    vault_address: null,
  });
};

export const deposit = (assets: bigint, shares = assets, owner = holder): Draft[] => [
  { contract: 'vault', name: 'Transfer', args: { from: zero, to: owner, value: `${shares}` } },
  { contract: 'vault', name: 'Deposit', args: { sender: owner, owner, assets: `${assets}`, shares: `${shares}` } },
];
export const redemption = (assets: bigint, shares = assets, controller = holder): Draft[] => [
  { contract: 'vault', name: 'Transfer', args: { from: strategy, to: zero, value: `${shares}` } },
  {
    contract: 'strategy',
    name: 'RedeemClaimable',
    args: { controller, assetsFulfilled: `${assets}`, sharesFulfilled: `${shares}`, averageWithdrawPrice: '1' },
  },
];
export const report = (pps: number): Draft => ({
  name: 'PPSUpdated',
  args: { strategy, pps: `${pps}`, timestamp: '1' },
});

const answer = ({ entries, indexed, page }: FakeLog, after: number) => ({
  entries: entries.filter(({ seq }) => seq > after).slice(0, page),
  head_seq: entries.length,
  indexed_block: indexed ?? entries.at(-1)?.block_number ?? null,
  indexed_time: null,
});

/** Everything on a database of its own. */
export async function openFeedScene(store: TestStore) {
  databases += 1;
  const database = `${store.database}_feed_${databases}`;
  const mongo = await connectMongo({ uri: store.uri, database, registry: createRegistry('test'), log });
  const collections = openFeedCollections(mongo);
  await ensureIndexes(mongo);
  const fake: FakeLog = { entries: [], indexed: null, page: 1000 };
  const world: { vault: Partial<VaultDetail>; managers: string[]; explorer: string | null } = {
    vault: {},
    managers: [secondary],
    explorer: 'https://explorer.example',
  };
  const roleOf = (caller: Caller | undefined) => (caller?.wallet_address === primary ? 'primary_manager' : null);
  const answers: Record<string, (params: { after_seq: number; vault_address: string }, caller?: Caller) => unknown> = {
    'v1.vaults.chains': () => ({ chains: [{ chain_id: chainId, explorer_url: world.explorer }] }),
    'v1.vaults.events': ({ after_seq }) => answer(fake, after_seq),
    'v1.vaults.detail': ({ vault_address }, caller) => {
      if (vault_address !== vaultAddress) throw new AppError('VAULT_NOT_FOUND', 'No vault there.');
      return aVault({ my_role: roleOf(caller), ...world.vault });
    },
    'v1.vaults.managers': (params) => ({
      ...params,
      block_number: 1,
      primary: { wallet_address: primary },
      secondary: world.managers.map((wallet_address) => ({ wallet_address })),
    }),
  };
  const callAction = (async ({ name }: { name: string }, params: never, options?: { caller?: Caller }) =>
    answers[name]?.(params, options?.caller)) as unknown as Call['callAction'];
  const follower = (items?: Pick<FeedItems, 'record' | 'void'>) =>
    new FeedFollower({
      collections,
      mongo,
      callAction,
      thresholds,
      log,
      ...(items ? { items } : {}),
    });
  const callOf = (wallet?: string, vault?: Caller['vault']): Call => ({
    caller: wallet ? { wallet_address: wallet, sid: 's', issuer: 'test', ...(vault ? { vault } : {}) } : undefined,
    requestId: 'request-1',
    callAction,
  });
  /** Reads the log to its end. */
  const follow = async () => {
    await mongo.collection('leases').deleteMany({});
    const one = follower();
    while ((await one.step(chainId)) === 'more');
    await one.stop();
  };
  const list = (params: object = {}, call = callOf(primary)) =>
    listFeed(collections)(
      { chain_id: chainId, vault_address: vaultAddress, limit: 50, ...params } as Parameters<
        ReturnType<typeof listFeed>
      >[0],
      call,
    );
  const kindsAndTitles = async (): Promise<[FeedItem['kind'], string][]> =>
    (await list()).items.map(({ kind, title }) => [kind, title]);
  return { mongo, collections, fake, world, follower, follow, callOf, list, kindsAndTitles, log };
}
export type FeedScene = Awaited<ReturnType<typeof openFeedScene>>;
