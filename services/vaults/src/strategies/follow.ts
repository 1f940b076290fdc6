import { type Logger, reportFailure } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';
import type { Snapshot, SnapshotReader } from '../vault/adapters/snapshot-store.mongo.ts';
import type { StrategyPorts } from './access.ts';
import type { StoredDefinition, StrategyDocument } from './domain/strategy.ts';
import type { KnownExits } from './known-exits.ts';
import { sourcesOf } from './validate.ts';

export type FollowPorts = Pick<StrategyPorts, 'strategies' | 'facts' | 'now' | 'status'> & {
  exits: KnownExits;
  snapshots: Pick<SnapshotReader, 'all'>;
  logger: Logger;
};

/** What an exit may lose on each withdrawal unless it is set otherwise when it is armed. */
export const EXIT_SLIPPAGE_BPS = 50;

/** Follows from what it empties, so that there is one per source however often it is made. */
export const exitIdOf = (chainId: number, vault: string, source: string): string =>
  `exit-${chainId}-${vault.toLowerCase()}-${source.slice(2, 12).toLowerCase()}`;

/** Ids are common to all vaults: a strategy with the id of an exit would keep another vault from having it. */
export const isExitId = (id: string): boolean => /^exit-\d+-0x[0-9a-f]{40}-[0-9a-f]{10}$/.test(id);

const exitDefinition = (source: string, name: string): StoredDefinition => ({
  name: `Emergency exit from ${name}`.slice(0, 80),
  indicators: [],
  rules: { type: 'EXPR', expr: `ys_${source}_shares > 0` },
  conviction_config: { mode: 'BINARY', required_ticks: 1 },
  action_config: {
    action: 'WITHDRAWAL',
    objective: 'MIN_TIME',
    execution_name: 'Emergency exit',
    target_type: 'yield_source',
    execution_params: {},
    max_slippage_bps: EXIT_SLIPPAGE_BPS,
    max_duration_seconds: 60,
    allow_order_splitting: false,
    venue_allowlist: [],
    venue_blocklist: [],
    merkle_hook_descriptor: null,
    merkle_global_descriptor: null,
    reason: null,
    size_expr: `ys_${source}_shares`,
    execution_address: null,
    target_address: getAddress(source),
    from_address: null,
  },
  risk_params: { max_amount: null, min_free_assets: null },
  max_concurrent: 1,
  cooldown_ms: 0,
});

function exitOf({ chain_id, detail }: Snapshot, source: string, at: string): StrategyDocument {
  const name = detail.allocation.find(({ source_address }) => source_address.toLowerCase() === source)?.name ?? source;
  return {
    _id: exitIdOf(chain_id, detail.vault_address, source),
    version: 1,
    chain_id,
    vault: detail.vault_address.toLowerCase(),
    vault_address: detail.vault_address,
    kind: 'EMERGENCY_EXIT',
    state: 'IDLE',
    lane: 'WITHDRAWAL',
    target: source,
    definition: exitDefinition(source, name),
    warnings: [],
    error: null,
    armed: null,
    created_at: at,
    created_by: null,
    updated_at: at,
    updated_by: null,
  };
}

/** Makes what is missing: one emergency exit for each yield source of a vault. */
async function keepExits({ strategies, now, exits }: FollowPorts, snapshot: Snapshot): Promise<void> {
  if (exits.has(snapshot)) return;
  const documents = await strategies.ofVault({ chainId: snapshot.chain_id, vault: snapshot.vault });
  const there = new Set(documents.map(({ _id }) => _id));
  for (const source of sourcesOf(snapshot)) {
    const exit = exitOf(snapshot, source, new Date(now()).toISOString());
    if (!there.has(exit._id)) await strategies.insert(exit, []);
  }
  exits.note(snapshot);
}

/** What one vault needs does not wait for what another one lacks. @returns whether it was done. */
async function apart({ logger }: FollowPorts, { chain_id, vault }: Snapshot, work: () => Promise<void>) {
  try {
    await work();
    return true;
  } catch (error) {
    const fields = { fields: { chainId: chain_id, vault }, expected: 'a vault is followed again for its strategies' };
    reportFailure(logger, error as Error, {
      ...fields,
      unexpected: 'a vault could not be followed for its strategies',
    });
    return false;
  }
}

/**
 * One pass over a chain's vaults: their emergency exits are there, and what running strategies see is kept, block by block, so that
 * a simulation can replay what really was seen.
 */
export async function followStrategies(ports: FollowPorts, chainId: number): Promise<void> {
  // Before the first backfill the list of sources is not complete.
  if ((await ports.status.get(chainId)).backfilled !== true) return;
  const running = new Set(
    (await ports.strategies.running()).filter((item) => item.chain_id === chainId).map(({ vault }) => vault),
  );
  if (running.size === 0 && !ports.exits.isSweepDue(chainId)) return;
  let haveExits = true;
  for (const snapshot of await ports.snapshots.all([chainId])) {
    haveExits = (await apart(ports, snapshot, () => keepExits(ports, snapshot))) && haveExits;
    if (running.has(snapshot.vault))
      await apart(ports, snapshot, async () => {
        const indexed = await ports.status.get(chainId);
        const facts = await ports.facts.live(snapshot, indexed);
        await ports.facts.record({ chainId, vault: snapshot.vault }, facts, indexed.branch ?? 0);
      });
  }
  // Exits that could not be made are tried again with the next pass.
  if (haveExits) ports.exits.swept(chainId);
}
