import { isDeepStrictEqual } from 'node:util';
import { orNull, yieldSourceOracleAbi } from '@castellan/chain';
import { AppError, type LogEntry } from '@castellan/contracts';
import type { Address, Hash } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { LogReader } from '../../log/ports.ts';
import { type Mandates, readable } from '../../mandates/mandates.mongo.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { observationDraft, STATE_OBSERVED } from '../../vault/domain/observation.ts';
import type { VaultReader } from '../../vault/use-cases/read-vault.ts';
import type { VaultSource } from '../../vault/use-cases/vault-view.ts';
import { factsOf, type StrategyFacts, TrailingYield } from '../domain/facts.ts';
import { queueEvents, redeemQueue } from '../domain/redeem-queue.ts';
import { revisionAt, withTargets } from '../domain/targets.ts';
import { Peaks } from '../domain/trailing-peak.ts';
import type { RecordedSnapshot, StrategyCollections } from '../models.ts';
import { readRewards } from './rewards.rpc.ts';
import type { VaultKey } from './strategies.mongo.ts';
import { allTargets, newestTargets } from './targets.mongo.ts';

export type FactsReader = {
  /**
   * The vault at the last indexed block, which is asked for unless it is given.
   * @throws AppError RPC_UNAVAILABLE: then nothing may be decided.
   */
  live(snapshot: Snapshot, indexed?: ChainStatus): Promise<StrategyFacts>;
  /**
   * Keeps what strategies saw at a block; the same block again changes nothing. What was recorded of blocks that a rollback voided goes.
   * @param branch - Sequence of the rollback that began the branch of the block; 0 without one.
   */
  record(key: VaultKey, facts: StrategyFacts, branch: number): Promise<void>;
  /** Every reading of a vault within a range of block times (Unix seconds), oldest first; what was recorded before what was observed. */
  history(key: VaultKey, from: number, to: number): Promise<{ facts: StrategyFacts; isRecorded: boolean }[]>;
};

type ChainStatus = Awaited<ReturnType<VaultSource['status']['get']>>;

export type FactsPorts = Pick<VaultSource, 'chains' | 'status'> & {
  log: LogReader;
  reader: VaultReader;
  mandates: Pick<Mandates, 'inForce'>;
  now: () => Date;
  priceMaxAgeSeconds: number;
};

/** Readings of one range at most: a quarter of blocks of two seconds would not fit into memory. */
const MOST_RECORDED = 50_000;
type Within = { chain_id: number; vault: string; block_time: { $gte: number; $lte: number } };

/** A yield and a peak need the last price before their seven days. */
const LEAD_SECONDS = 8 * 86_400;
const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

type Source = { address: Address; oracle: Address };

/** All assets in each source, by its oracle; null where the oracle gives none. */
async function sourceTvls(chain: KnownChain, sources: readonly Source[], blockNumber: bigint) {
  const read = ({ address, oracle }: Source) =>
    orNull(
      chain.client.readContract({
        address: oracle,
        abi: yieldSourceOracleAbi,
        functionName: 'getTVL',
        args: [address],
        blockNumber,
      }),
    );
  const tvls = await Promise.all(sources.map(read));
  return new Map(sources.map(({ address }, index) => [address.toLowerCase(), tvls[index] ?? null]));
}

export function factsReader(
  ports: FactsPorts,
  { recorded, targets }: StrategyCollections,
  mostRecorded = MOST_RECORDED,
): FactsReader {
  const latest = new Map<string, StrategyFacts>();
  /** Those of the last reading: they are asked for together with the vault, and the new ones after it. */
  const sourcesOf = new Map<string, readonly Source[]>();

  /** All of them, or where they are too many one of each of so many stretches of time. */
  const recordedWithin = async (within: Within): Promise<Pick<RecordedSnapshot, 'facts'>[]> => {
    if ((await recorded.countDocuments(within)) <= mostRecorded) return recorded.find(within).toArray();
    const { $gte: from, $lte: to } = within.block_time;
    const spread = { $floor: { $divide: [{ $subtract: ['$block_time', from] }, (to - from) / (mostRecorded - 1)] } };
    return recorded
      .aggregate<Pick<RecordedSnapshot, 'facts'>>(
        [{ $match: within }, { $group: { _id: spread, facts: { $first: '$facts' } } }],
        { allowDiskUse: true },
      )
      .toArray();
  };

  const readAt = async (snapshot: Snapshot, tip: { number: bigint; hash: Hash; timestamp: bigint }) => {
    const { chain_id, vault, detail } = snapshot;
    const chain = ports.chains.get(chain_id);
    const trio = {
      vault: detail.vault_address,
      strategy: detail.strategy_address,
      escrow: detail.escrow_address,
      asset: detail.asset.address,
    };
    const key = `${chain_id}:${vault}`;
    const known = sourcesOf.get(key) ?? [];
    const [{ state }, ahead] = await Promise.all([
      ports.reader.read(chain, trio, tip),
      sourceTvls(chain, known, tip.number),
    ]);
    const sources = state.sources.map(({ address, oracle }) => ({ address, oracle }));
    sourcesOf.set(key, sources);
    const isKnown = isDeepStrictEqual(sources, known);
    const blockNumber = tip.number;
    const [tvls, rewards, entries] = await Promise.all([
      isKnown ? ahead : sourceTvls(chain, sources, blockNumber),
      readRewards(chain, sources, { strategy: trio.strategy as Address, blockNumber }),
      ports.log.livingOfVault(chain_id, vault, queueEvents),
    ]);
    const measured = new Map(detail.allocation.map((item) => [item.source_address.toLowerCase(), item]));
    const facts = factsOf(observationDraft(vault, state), redeemQueue(entries)(Number(tip.number)), {
      priceMaxAgeSeconds: ports.priceMaxAgeSeconds,
      apyOf: (source) => measured.get(source)?.apy ?? null,
      peakOf: (source) => measured.get(source)?.peak_pps ?? null,
      tvlOf: (source) => tvls.get(source)?.toString() ?? null,
    });
    return rewards.length === 0 ? facts : { ...facts, rewards };
  };

  /** From which block on the rollbacks since the last record reach, as the next one may lie behind where the branches part. */
  const voidedSince = async (place: Pick<Within, 'chain_id' | 'vault'>, branch: number): Promise<number> => {
    const last = await recorded.findOne(place, { sort: { block_number: -1 }, projection: { branch: 1 } });
    const from = last?.branch ?? branch;
    if (from >= branch) return Number.POSITIVE_INFINITY;
    const since = (await ports.log.rollbacks(place.chain_id)).filter(({ seq }) => seq > from);
    return Math.min(...since.map(({ fromBlock }) => fromBlock));
  };

  return {
    async live(snapshot, indexed) {
      const { indexed_block, indexed_hash, indexed_time } = indexed ?? (await ports.status.get(snapshot.chain_id));
      if (typeof indexed_block !== 'number' || !indexed_hash || typeof indexed_time !== 'number')
        throw new AppError('NOT_READY', `Chain ${snapshot.chain_id} is not indexed yet. Try again shortly.`);
      const key = `${snapshot.chain_id}:${snapshot.vault}`;
      const tip = { number: BigInt(indexed_block), hash: indexed_hash as Hash, timestamp: BigInt(indexed_time) };
      const known = latest.get(key);
      // People change targets between blocks, so they are no part of what is kept of one.
      const [facts, newest, mandate] = await Promise.all([
        known?.block_hash === indexed_hash ? known : readAt(snapshot, tip),
        newestTargets(targets, { chainId: snapshot.chain_id, vault: snapshot.vault }),
        ports.mandates.inForce(snapshot.chain_id, snapshot.vault),
      ]);
      latest.set(key, facts);
      return withTargets(facts, newest, readable(mandate));
    },
    async record({ chainId, vault }, facts, branch) {
      const place = { chain_id: chainId, vault: vault.toLowerCase() };
      const { block_number, block_time, block_hash } = facts;
      const voidFrom = Math.min(block_number, await voidedSince(place, branch));
      // The chain went back: what was recorded on the branch that is gone was never so.
      await recorded.deleteMany({
        ...place,
        block_number: { $gte: voidFrom },
        'facts.block_hash': { $ne: block_hash },
      });
      const document: RecordedSnapshot = {
        _id: `${chainId}:${place.vault}:${block_number}`,
        ...place,
        block_number,
        block_time,
        recorded_at: ports.now(),
        branch,
        facts,
      };
      await recorded.updateOne({ _id: document._id }, { $setOnInsert: document }, { upsert: true });
    },
    async history({ chainId, vault }, from, to) {
      const key = vault.toLowerCase();
      const within = { chain_id: chainId, vault: key, block_time: { $gte: from, $lte: to } };
      const [entries, kept, queued, revisions, mandate] = await Promise.all([
        ports.log.livingOfVault(chainId, key, [STATE_OBSERVED], { since: isoOf(from - LEAD_SECONDS) }),
        recordedWithin(within),
        ports.log.livingOfVault(chainId, key, queueEvents),
        allTargets(targets, { chainId, vault }),
        ports.mandates.inForce(chainId, key),
      ]);
      // What was recorded too, so that all of a range is judged alike: some was recorded before targets were.
      const seen = (facts: StrategyFacts, isRecorded: boolean) => ({
        facts: withTargets(facts, revisionAt(revisions, facts.block_number), readable(mandate)),
        isRecorded,
      });
      const { priceMaxAgeSeconds } = ports;
      const peaks = new Peaks();
      const found = observedFacts(entries, redeemQueue(queued), { from, to, priceMaxAgeSeconds, peaks });
      const merged = new Map(found.map((facts) => [facts.block_number, { facts, isRecorded: false }]));
      for (const { facts } of kept) merged.set(facts.block_number, { facts, isRecorded: true });
      // Of both together: what was recorded before peaks were has none, and a strategy must not seem never to have fired there.
      return [...merged.values()]
        .sort((a, b) => a.facts.block_number - b.facts.block_number)
        .map(({ facts, isRecorded }) => seen(peaks.completed(facts), isRecorded));
    },
  };
}

/**
 * Facts of the observations within a range, with the yields that could be known then.
 * @param options.peaks - Is given what was observed before the range.
 */
function observedFacts(
  entries: readonly LogEntry[],
  queueAt: ReturnType<typeof redeemQueue>,
  { from, to, priceMaxAgeSeconds, peaks }: { from: number; to: number; priceMaxAgeSeconds: number; peaks: Peaks },
): StrategyFacts[] {
  const yields = new Map<string, TrailingYield>();
  const yieldOf = (source: string) => {
    const known = yields.get(source) ?? new TrailingYield();
    yields.set(source, known);
    return known;
  };
  const found: StrategyFacts[] = [];
  for (const entry of entries) {
    const facts = factsOf(entry, queueAt(entry.block_number), { apyOf: () => null, priceMaxAgeSeconds });
    const sources = facts.sources.map((source) => ({
      ...source,
      apy: yieldOf(source.address).add(facts.block_time, source.pps),
    }));
    if (facts.block_time < from) peaks.completed(facts);
    else if (facts.block_time <= to) found.push({ ...facts, sources });
  }
  return found;
}
