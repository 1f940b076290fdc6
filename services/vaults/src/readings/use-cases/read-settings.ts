import { type BlockHeader, deviationThresholdBps, type Pending, type VaultState } from '@castellan/chain';
import type { Caller, GetVaultSettings, LogEntry, ParamsOf, VaultSettings } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import type { KnownChain } from '../../chains/chain-directory.ts';
import { isoTime } from '../../log/domain/log-entry.ts';
import type { LogReader } from '../../log/ports.ts';
import type { ValidatorStore } from '../../oracle-network/adapters/validator-network.mongo.ts';
import type { ChangeReader } from '../../prepared-calls/changes/adapters/state.rpc.ts';
import type { ChangeState, ChangeTarget } from '../../prepared-calls/changes/domain/change.ts';
import {
  EXPIRATION_TIMELOCK_SECONDS,
  FEE_TIMELOCK_SECONDS,
  MAX_ENTRY_FEE_BPS,
  MAX_EXPIRATION_SECONDS,
  MAX_PERFORMANCE_FEE_BPS,
  MIN_EXPIRATION_SECONDS,
  MIN_UPDATE_INTERVAL_TIMELOCK_SECONDS,
  UPKEEP_WITHDRAWAL_TIMELOCK_SECONDS,
} from '../../prepared-calls/changes/domain/limits.ts';
import { targetOf } from '../../prepared-calls/changes/use-cases/prepare-change.ts';
import { placeOf, type Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { upkeepOf } from '../../vault/domain/upkeep.ts';
import { walletOf } from '../../vault/use-cases/caller.ts';
import { requireVault, type VaultSource } from '../../vault/use-cases/vault-view.ts';
import type { SettingsChain } from '../adapters/settings.rpc.ts';
import { KeptWhile } from '../domain/kept-while.ts';

export type SettingsPorts = VaultSource & {
  changes: ChangeReader;
  settingsChain: SettingsChain;
  log: Pick<LogReader, 'livingOfVault'>;
  validators: Pick<ValidatorStore, 'config'>;
};

type SettingsOf = { chain: KnownChain; target: ChangeTarget; snapshot: Snapshot };
/** The settings without a wallet, and the state that they were made of. */
type ForAll = { settings: VaultSettings; vault: VaultState };

const DAY_SECONDS = 86_400n;
/** Answers of some kilobytes, and balances. */
const MOST_VAULTS = 1_000;
const MOST_WALLETS = 1_000;

const walletShown = ({ balance, allowance }: NonNullable<ChangeState['wallet']>) => ({
  balance: `${balance}`,
  allowance: `${allowance}`,
});

/** When a proposal may be executed, beside what it is about. */
const waiting = <T>({ blockTimestamp }: VaultState, pending: { effectiveTime: bigint } | null, what: T) =>
  pending && {
    ...what,
    effective_at: isoTime(pending.effectiveTime),
    can_execute: blockTimestamp >= pending.effectiveTime,
  };

function feesOf({ vault, pendingFees }: ChangeState): VaultSettings['fees'] {
  const terms = (fees: {
    performanceFeeBps: bigint | number;
    managementFeeBps: bigint | number;
    recipient: string;
  }) => ({
    performance_fee_bps: Number(fees.performanceFeeBps),
    management_fee_bps: Number(fees.managementFeeBps),
    recipient: getAddress(fees.recipient),
  });
  return {
    current: terms(vault.fees),
    pending: pendingFees && waiting(vault, pendingFees, terms(pendingFees)),
    limits: {
      max_performance_fee_bps: MAX_PERFORMANCE_FEE_BPS,
      max_management_fee_bps: MAX_ENTRY_FEE_BPS,
      timelock_seconds: Number(FEE_TIMELOCK_SECONDS),
    },
  };
}

function ppsOf({ vault }: ChangeState): VaultSettings['pps'] {
  const { proposedPpsExpiration, pendingMinUpdateInterval } = vault;
  const seconds = (pending: Pending<bigint> | null) => Number(pending?.value ?? 0n);
  return {
    deviation_threshold_bps: deviationThresholdBps(vault.deviationThreshold),
    expiration_seconds: Number(vault.ppsExpiration),
    pending_expiration: waiting(vault, proposedPpsExpiration, { expiration_seconds: seconds(proposedPpsExpiration) }),
    min_update_interval_seconds: Number(vault.minUpdateInterval),
    pending_min_update_interval: waiting(vault, pendingMinUpdateInterval, {
      min_update_interval_seconds: seconds(pendingMinUpdateInterval),
    }),
    max_staleness_seconds: Number(vault.maxStaleness),
    limits: {
      min_expiration_seconds: Number(MIN_EXPIRATION_SECONDS),
      max_expiration_seconds: Number(MAX_EXPIRATION_SECONDS),
      expiration_timelock_seconds: Number(EXPIRATION_TIMELOCK_SECONDS),
      min_update_interval_timelock_seconds: Number(MIN_UPDATE_INTERVAL_TIMELOCK_SECONDS),
    },
  };
}

type Basis = NonNullable<VaultSettings['upkeep']['cost_basis']>;
type Payments = {
  /** Price updates that were paid for since `since`, and those of them since the least interval changed. */
  readonly count: number;
  readonly since: bigint;
  readonly afterChange: { readonly count: number; readonly since: bigint } | null;
};

/**
 * What a day of price updates costs, in base units, rounded up: at the cadence of the last 24 hours, or since the least interval
 * changed once two were paid for since, and never below the heartbeat's. Null while neither is known, or updates cost nothing.
 */
export function costPerDay(
  costPerUpdate: bigint,
  { count, since, afterChange }: Payments,
  { chainTime, heartbeatSeconds }: { chainTime: bigint; heartbeatSeconds: bigint | null },
): { cost: bigint; basis: Basis } | null {
  if (costPerUpdate === 0n) return null;
  const isChanged = afterChange !== null && afterChange.count >= 2;
  const recent = isChanged ? afterChange : { count, since };
  const span = chainTime > recent.since ? chainTime - recent.since : 1n;
  const ofSpan = (updates: bigint, seconds: bigint) => (costPerUpdate * updates * DAY_SECONDS + seconds - 1n) / seconds;
  const measured = recent.count === 0 ? 0n : ofSpan(BigInt(recent.count), span);
  const promised = heartbeatSeconds === null || heartbeatSeconds === 0n ? 0n : ofSpan(1n, heartbeatSeconds);
  if (measured === 0n && promised === 0n) return null;
  if (promised > measured) return { cost: promised, basis: 'heartbeat' };
  return { cost: measured, basis: isChanged ? 'since_interval_change' : 'last_24h' };
}

/** Payments of the last 24 hours, or of the vault's life when that is shorter. */
export function paymentsOf(
  entries: readonly Pick<LogEntry, 'name' | 'block_time'>[],
  { since }: { since: bigint },
): Payments {
  const change = entries.findLast(({ name }) => name === 'MinUpdateIntervalChanged');
  const paid = entries.filter(({ name }) => name === 'UpkeepSpent');
  return {
    count: paid.length,
    since,
    afterChange: change
      ? {
          count: paid.filter(({ block_time }) => block_time > change.block_time).length,
          since: BigInt(Math.floor(Date.parse(change.block_time) / 1000)),
        }
      : null,
  };
}

function upkeepSettings(
  { vault }: ChangeState,
  { day, runway }: { day: ReturnType<typeof costPerDay>; runway: number | null },
): VaultSettings['upkeep'] {
  const { upkeep, activation } = upkeepOf(vault);
  const { pendingWithdrawal } = vault.upkeep;
  return {
    info: { ...upkeep, runway_seconds: runway },
    activation,
    pending_withdrawal: waiting(vault, pendingWithdrawal, { amount: `${pendingWithdrawal?.value ?? 0n}` }),
    withdrawal_timelock_seconds: Number(UPKEEP_WITHDRAWAL_TIMELOCK_SECONDS),
    wallet: null,
    cost_per_day: day && `${day.cost}`,
    cost_basis: day?.basis ?? null,
  };
}

/** What is the same for everybody, at a block. */
async function readForAll(
  ports: SettingsPorts,
  { chain, target, snapshot }: SettingsOf,
  block: BlockHeader,
): Promise<ForAll> {
  const { chainId } = target;
  const state = await ports.changes.read(chain, target, { caller: null, args: {} }, { block });
  const { vault } = state;
  const chainTime = vault.blockTimestamp;
  const created = BigInt(Math.floor(Date.parse(snapshot.detail.created_at) / 1000));
  const dayAgo = chainTime - DAY_SECONDS;
  const since = created > dayAgo ? created : dayAgo;
  const [entries, network] = await Promise.all([
    ports.log.livingOfVault(chainId, snapshot.vault, ['UpkeepSpent', 'MinUpdateIntervalChanged'], {
      since: isoTime(since),
    }),
    ports.validators.config(),
  ]);
  const heartbeat = network?.chain_id === chainId ? BigInt(network.heartbeat_seconds) : null;
  const { enabled, costPerUpdate } = vault.upkeep;
  const change = vault.pendingManagerChange;
  const settings = {
    chain_id: chainId,
    vault_address: target.vault,
    block_number: Number(vault.blockNumber),
    chain_time: isoTime(chainTime),
    fees: feesOf(state),
    pps: ppsOf(state),
    upkeep: upkeepSettings(state, {
      day: costPerDay(enabled ? (costPerUpdate ?? 0n) : 0n, paymentsOf(entries, { since }), {
        chainTime,
        heartbeatSeconds: heartbeat,
      }),
      runway: snapshot.detail.upkeep_info.runway_seconds,
    }),
    pending_primary_change: change && waiting(vault, change, { proposed_manager: getAddress(change.value) }),
  };
  return { settings, vault };
}

/**
 * Read from the chain at its newest block; what no call returns comes from the log. What is the same for everybody is read once for each block
 * and what is known of it; the wallet is the caller's, read once for each block.
 */
export function getVaultSettings(ports: SettingsPorts) {
  const ofAll = new KeptWhile<ForAll>(MOST_VAULTS);
  const wallets = new KeptWhile<ChangeState['wallet']>(MOST_WALLETS);
  return async (
    { chain_id, vault_address }: ParamsOf<typeof GetVaultSettings>,
    caller: Caller | undefined,
  ): Promise<VaultSettings> => {
    const snapshot = await requireVault(ports, chain_id, vault_address);
    const chain = ports.chains.get(chain_id);
    const place = placeOf(chain_id, snapshot.vault);
    const [target, block, { indexed_block }] = await Promise.all([
      targetOf(chain, snapshot),
      ports.settingsChain.newestBlock(chain),
      ports.status.get(chain_id),
    ]);
    const { settings, vault } = await ofAll.get(place, [block.hash, indexed_block, snapshot], () =>
      readForAll(ports, { chain, target, snapshot }, block),
    );
    const wallet = walletOf(caller);
    if (wallet === undefined) return settings;
    const held = await wallets.get(`${place} ${wallet}`, [block.hash], () =>
      ports.settingsChain.wallet(chain, target, vault, getAddress(wallet)),
    );
    return { ...settings, upkeep: { ...settings.upkeep, wallet: held && walletShown(held) } };
  };
}
