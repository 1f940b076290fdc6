import type { AuditCategory, LogEntry } from '@castellan/contracts';
import type { AuditContent } from './audit-chain.ts';
import { rolledBack } from './voided.ts';

/**
 * What somebody decided or a guard did, by contract. Routine is left out: prices, deposits, redemptions, upkeep that was spent;
 * and `PPSUpdatedAfterSkim` and the aggregator's `HighWaterMarkReset`, for which the strategy's event of the same call has a row.
 */
const categories: Readonly<Record<string, Readonly<Record<string, AuditCategory>>>> = {
  aggregator: {
    VaultDeployed: 'setting',
    SecondaryManagerAdded: 'role',
    SecondaryManagerRemoved: 'role',
    PrimaryManagerChanged: 'role',
    PrimaryManagerChangeProposed: 'role',
    PrimaryManagerChangeCancelled: 'role',
    OldPrimaryManagerRemoved: 'role',
    StrategyPaused: 'price',
    StrategyUnpaused: 'price',
    StrategyPPSStale: 'price',
    StrategyPPSStaleReset: 'price',
    StrategyCheckFailed: 'price',
    DeviationThresholdUpdated: 'setting',
    MinUpdateIntervalChangeProposed: 'setting',
    MinUpdateIntervalChanged: 'setting',
    MinUpdateIntervalChangeRejected: 'setting',
    MinUpdateIntervalChangeCancelled: 'setting',
    UpkeepDeposited: 'upkeep',
    UpkeepWithdrawalProposed: 'upkeep',
    UpkeepWithdrawalCancelled: 'upkeep',
    UpkeepWithdrawn: 'upkeep',
    InsufficientUpkeep: 'upkeep',
    GlobalHooksRootUpdateProposed: 'source',
    GlobalHooksRootUpdated: 'source',
    GlobalHooksRootVetoStatusChanged: 'source',
    StrategyHooksRootUpdateProposed: 'source',
    StrategyHooksRootUpdated: 'source',
    StrategyHooksRootVetoStatusChanged: 'source',
    HooksRootUpdateTimelockChanged: 'source',
    GlobalLeavesStatusChanged: 'source',
  },
  strategy: {
    YieldSourceAdded: 'source',
    YieldSourceOracleUpdated: 'source',
    YieldSourceRemoved: 'source',
    VaultFeeConfigProposed: 'fee',
    VaultFeeConfigUpdated: 'fee',
    FeeRecipientChanged: 'fee',
    PerformanceFeeSkimmed: 'fee',
    HighWaterMarkReset: 'fee',
    PPSExpirationProposed: 'setting',
    PPSExpiryThresholdUpdated: 'setting',
    PPSExpiryThresholdProposalCanceled: 'setting',
  },
  governor: {
    ValidatorConfigSet: 'node',
    ActivePPSOracleSet: 'node',
    ActivePPSOracleProposed: 'node',
    ActivePPSOracleChanged: 'node',
    FeeProposed: 'fee',
    FeeUpdated: 'fee',
    ManagerTakeoversFrozen: 'role',
    UpkeepPaymentsChangeProposed: 'upkeep',
    UpkeepPaymentsChanged: 'upkeep',
    MinStalenessProposed: 'setting',
    MinStalenessChanged: 'setting',
    HookApproved: 'source',
    HookRemoved: 'source',
  },
};

/** Every event that becomes a row, for the test that each has a title. */
export const auditedEvents: readonly string[] = Object.values(categories).flatMap((events) => Object.keys(events));

/** Who acted, by the event itself, where the log does not know the transaction's sender. */
const actors: Readonly<Record<string, string>> = {
  PrimaryManagerChangeProposed: 'proposer',
  MinUpdateIntervalChangeProposed: 'proposer',
  StrategyHooksRootUpdateProposed: 'proposer',
  UpkeepDeposited: 'depositor',
  UpkeepWithdrawalProposed: 'mainManager',
  UpkeepWithdrawn: 'withdrawer',
};

/** `PPSExpirationProposed` as `pps_expiration_proposed`. */
export const actionTypeOf = (event: string): string =>
  event
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();

/** The category of the entry, undefined when it is routine or of a vault that is not served. */
export function categoryOf({ kind, contract, name, vault_address, args }: LogEntry): AuditCategory | undefined {
  if (kind !== 'log') return undefined;
  // It names a strategy that belongs to none of the vaults that are served here.
  if (vault_address === null && args.strategy !== undefined) return undefined;
  return categories[contract ?? '']?.[name];
}

/** Ids of rows made from the log of a chain begin so. */
export const chainIdPrefix = (chainId: number): string => `chain:${chainId}:`;

/** The row of a change on chain. `sender` sent the transaction. */
export function rowOfEntry(entry: LogEntry, category: AuditCategory, sender: string | null): AuditContent {
  const { chain_id, seq, block_time, vault_address, tx_hash, name, args, block_number, block_hash, log_index } = entry;
  const named = args[actors[name] ?? ''];
  return {
    id: `${chainIdPrefix(chain_id)}${seq}`,
    timestamp: block_time,
    category,
    action_type: actionTypeOf(name),
    vault_address,
    chain_id,
    actor_wallet: sender ?? (typeof named === 'string' ? named : null),
    details: { ...args, block_number, block_hash, log_index },
    tx_hash,
    request_id: null,
  };
}

/**
 * The rows that say what a rollback made void, one for each vault it touches. Nobody knows when it happened; their time is that of
 * the last change it made void, the same whenever the log is read.
 */
export function rowsOfRollback(
  entry: LogEntry,
  voided: readonly Pick<AuditContent, 'id' | 'vault_address' | 'timestamp'>[],
): AuditContent[] {
  const { chain_id, seq, block_number, args } = entry;
  return [...Map.groupBy(voided, ({ vault_address }) => vault_address)].map(([vault_address, rows]) => ({
    id: `${chainIdPrefix(chain_id)}${seq}:${vault_address?.toLowerCase() ?? 'chain'}`,
    timestamp: rows.reduce((latest, { timestamp }) => (timestamp > latest ? timestamp : latest), ''),
    category: 'node',
    action_type: rolledBack,
    vault_address,
    chain_id,
    actor_wallet: null,
    details: { from_block: block_number, old_tip_block: args.old_tip_block ?? null, voided: rows.map(({ id }) => id) },
    tx_hash: null,
    request_id: null,
  }));
}
