/** Ages of a price by share of its expiration: fresh < 50 % <= ageing < 80 % <= critical < 100 % <= expired. */
export type PpsStatus = 'fresh' | 'ageing' | 'critical' | 'expired';

/** Chain times in seconds. `expiration` is the strategy's `ppsExpiration`, not the aggregator's `maxStaleness`. */
export type PriceAge = { chainTime: bigint; lastUpdateTimestamp: bigint; ppsExpiration: bigint };

const ageOf = ({ chainTime, lastUpdateTimestamp }: Omit<PriceAge, 'ppsExpiration'>): bigint =>
  chainTime > lastUpdateTimestamp ? chainTime - lastUpdateTimestamp : 0n;

/** Level of a price by its age; see {@link PpsStatus}. */
export function ppsStatus(age: PriceAge): PpsStatus {
  const elapsed = ageOf(age) * 100n;
  if (elapsed >= age.ppsExpiration * 100n) return 'expired';
  if (elapsed >= age.ppsExpiration * 80n) return 'critical';
  return elapsed >= age.ppsExpiration * 50n ? 'ageing' : 'fresh';
}

/** Seconds until the price can no longer be used on chain; 0n when it has expired. */
export function remainingStaleness(age: PriceAge): bigint {
  const remaining = age.ppsExpiration - ageOf(age);
  return remaining > 0n ? remaining : 0n;
}

/** Seconds until the contract accepts the next price report; 0n when it would accept one now. */
export function nextUpdateIn(pace: {
  chainTime: bigint;
  lastUpdateTimestamp: bigint;
  minUpdateInterval: bigint;
}): bigint {
  const due = pace.lastUpdateTimestamp + pace.minUpdateInterval;
  return due > pace.chainTime ? due - pace.chainTime : 0n;
}

/** What a vault can do now; the first that holds, in this order. */
export type OperationalState = 'paused' | 'awaiting_price' | 'stale' | 'underfunded' | 'live';

/** Inputs of {@link operationalState}; times in seconds, amounts in upkeep token base units. */
export type OperationalInputs = PriceAge & {
  isPaused: boolean;
  /** The contract's own flag: set by a pause, cleared by the next accepted report. */
  isPpsStale: boolean;
  /** 0n when the strategy was never unpaused. */
  lastUnpauseTimestamp: bigint;
  upkeepEnabled: boolean;
  upkeepBalance: bigint;
  /** What one price update costs now. */
  upkeepCostPerUpdate: bigint;
};

/**
 * paused > awaiting_price (unpaused, no report since) > stale (contract flag or expired) > underfunded (upkeep is on and
 * does not pay for one update) > live.
 */
export function operationalState(inputs: OperationalInputs): OperationalState {
  if (inputs.isPaused) return 'paused';
  const { lastUnpauseTimestamp, lastUpdateTimestamp } = inputs;
  if (lastUnpauseTimestamp > 0n && lastUpdateTimestamp <= lastUnpauseTimestamp) return 'awaiting_price';
  if (inputs.isPpsStale || ppsStatus(inputs) === 'expired') return 'stale';
  if (inputs.upkeepEnabled && inputs.upkeepBalance < inputs.upkeepCostPerUpdate) return 'underfunded';
  return 'live';
}
