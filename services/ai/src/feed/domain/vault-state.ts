import type { LogEntry } from '@castellan/contracts';

/** The state of a vault by the log so far, as far as it decides what is notable. Stored as JSON, so amounts are strings. */
export type VaultState = {
  /** Shares there are. */
  supply: string;
  /** The transaction that is being read, and the shares there were before it. */
  tx: { hash: string; supply: string } | null;
  pps: string | null;
  /** The latest moves of the price by a report, in parts of a thousand million. */
  moves: string[];
  isStale: boolean;
  isUpkeepShort: boolean;
};

/** A vault before its first event. */
export const newState: VaultState = {
  ...{ supply: '0', tx: null, pps: null, moves: [] },
  ...{ isStale: false, isUpkeepShort: false },
};

/** A move of the price by 100 %. */
export const movesPerUnit = 1_000_000_000n;
const keptMoves = 60;
const zeroAddress = `0x${'0'.repeat(40)}`;

/** A raw amount of an entry; what is none there is no amount of ours. */
export function amountIn({ args }: Pick<LogEntry, 'args'>, name: string): bigint {
  const value = args[name];
  return typeof value === 'string' || typeof value === 'number' ? BigInt(value) : 0n;
}

/** The move from one price to the next; null from nothing. */
export const moveOf = (from: string | null, to: bigint): bigint | null =>
  from === null || from === '0' ? null : ((to - BigInt(from)) * movesPerUnit) / BigInt(from);

function supplyAfter(state: VaultState, entry: LogEntry): string {
  const value = amountIn(entry, 'value');
  let supply = BigInt(state.supply);
  if (entry.args.from === zeroAddress) supply += value;
  if (entry.args.to === zeroAddress) supply -= value;
  return `${supply}`;
}

/** Notes which transaction is read: what flows is measured by what there was before it. */
export function entering(state: VaultState, { tx_hash }: LogEntry): VaultState {
  if (tx_hash === null || state.tx?.hash === tx_hash) return state;
  return { ...state, tx: { hash: tx_hash, supply: state.supply } };
}

type Change = (state: VaultState, entry: LogEntry) => VaultState;

const changes: Readonly<Record<string, Change>> = {
  'vault.Transfer': (state, entry) => ({ ...state, supply: supplyAfter(state, entry) }),
  'aggregator.PPSUpdated': (state, entry) => {
    const pps = amountIn(entry, 'pps');
    const move = moveOf(state.pps, pps);
    const moves = move === null ? state.moves : [...state.moves, `${move}`].slice(-keptMoves);
    return { ...state, pps: `${pps}`, moves, isStale: false };
  },
  // Takes the fee out of the price: no move of what the vault is worth.
  'aggregator.PPSUpdatedAfterSkim': (state, entry) => ({ ...state, pps: `${amountIn(entry, 'newPPS')}` }),
  'aggregator.StrategyPPSStale': (state) => ({ ...state, isStale: true }),
  'aggregator.StrategyPPSStaleReset': (state) => ({ ...state, isStale: false }),
  'aggregator.InsufficientUpkeep': (state) => ({ ...state, isUpkeepShort: true }),
  'aggregator.UpkeepSpent': (state) => ({ ...state, isUpkeepShort: false }),
  'aggregator.UpkeepDeposited': (state) => ({ ...state, isUpkeepShort: false }),
};

/** The state behind an entry; the same object where it changes nothing. */
export const after = (state: VaultState, entry: LogEntry): VaultState =>
  changes[`${entry.contract}.${entry.name}`]?.(state, entry) ?? state;

/** Whether an entry can change the state of its vault, or be notable. */
export const changesState = ({ contract, name }: LogEntry): boolean => changes[`${contract}.${name}`] !== undefined;
