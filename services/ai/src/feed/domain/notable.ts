import type { FeedItem, LogEntry } from '@castellan/contracts';
import { amountIn, moveOf, movesPerUnit, type VaultState } from './vault-state.ts';

/** What kind of event an item is of. */
export type FeedKind = FeedItem['kind'];
/** How much an item matters. */
export type FeedSeverity = FeedItem['severity'];
/** Raw figures of an item, by name. */
export type Figures = Record<string, string | number | boolean | null>;

/**
 * A notable fact of the log. `topic` is what may share one item with others of its kind; `name` decides the
 * words, and the figures are as the log has them.
 */
export type Notable = {
  kind: FeedKind;
  topic: string;
  name: string;
  severity: FeedSeverity;
  figures: Figures;
  /** The account that the event names as the actor. */
  actor: string | null;
};

/** From when on a flow or a move is notable. */
export type Thresholds = {
  /** Of the total assets; a flow of at least that is large. */
  largeFlowBps: bigint;
  /** A price that moves further in one update is an anomaly, ... */
  ppsBps: bigint;
  /** ... and one this many standard deviations from its usual moves. */
  ppsSigma: bigint;
};

/** Fewer moves say nothing of what is usual, ... */
const leastMoves = 10;
/** ... and below 5 bps no move is worth a word, however calm it was before. */
const leastMove = (5n * movesPerUnit) / 10_000n;

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** Whether a move lies more than `sigmas` standard deviations from the mean of those before, in whole numbers. */
export function isUnusual(moves: readonly bigint[], move: bigint, sigmas: bigint): boolean {
  if (moves.length < leastMoves || abs(move) < leastMove) return false;
  const count = BigInt(moves.length);
  const sum = moves.reduce((total, one) => total + one, 0n);
  const squares = moves.reduce((total, one) => total + (count * one - sum) ** 2n, 0n);
  return (count * move - sum) ** 2n * count > sigmas ** 2n * squares;
}

type Finding = Omit<Notable, 'topic' | 'actor' | 'name'> & Partial<Pick<Notable, 'topic' | 'actor'>>;
type Detector = (entry: LogEntry, before: VaultState, thresholds: Thresholds) => Finding | undefined;

const plainly =
  (kind: FeedKind, severity: FeedSeverity, topic = ''): Detector =>
  ({ args }) => ({ kind, severity, topic, figures: flat(args) });

/** Arguments as figures; lists and bytes are left to the transaction. */
const flat = (args: LogEntry['args']): Figures =>
  Object.fromEntries(
    Object.entries(args).filter(
      (pair): pair is [string, string | number | boolean] =>
        ['string', 'number', 'boolean'].includes(typeof pair[1]) && pair[0] !== 'strategy',
    ),
  );

const wallet = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * A flow measured by the shares there were before its transaction. A share is worth the same for those who come and those who stay,
 * so its part of the shares is its part of the total assets, and the log alone shows it.
 */
const flow =
  (kind: 'large_deposit' | 'large_withdrawal', names: { assets: string; shares: string; who: string }): Detector =>
  (entry, before, { largeFlowBps }) => {
    const [assets, shares] = [amountIn(entry, names.assets), amountIn(entry, names.shares)];
    const supply = BigInt(before.tx?.supply ?? before.supply);
    if (assets === 0n || shares === 0n) return undefined;
    if (shares * 10_000n < largeFlowBps * supply) return undefined;
    const known = supply > 0n;
    const isOut = kind === 'large_withdrawal';
    const isVeryLarge = known && shares * 10_000n >= 4n * largeFlowBps * supply;
    return {
      kind,
      severity: isOut && isVeryLarge ? 'warning' : 'notice',
      actor: wallet(entry.args[names.who]),
      figures: {
        assets: `${assets}`,
        shares: `${shares}`,
        share_bps: known ? Number((shares * 10_000n) / supply) : null,
        total_assets_before: known ? `${(supply * assets) / shares}` : null,
      },
    };
  };

const price: Detector = (entry, before, { ppsBps, ppsSigma }) => {
  const pps = amountIn(entry, 'pps');
  const move = moveOf(before.pps, pps);
  if (move !== null) {
    const isFar = abs(move) * 10_000n > ppsBps * movesPerUnit;
    if (isFar || isUnusual(before.moves.map(BigInt), move, ppsSigma)) {
      const move_bps = Number((move * 1_000_000n) / movesPerUnit) / 100;
      const figures = { pps: `${pps}`, pps_before: before.pps, move_bps, was_stale: before.isStale };
      const severity = abs(move) * 2_000n > ppsBps * movesPerUnit ? 'critical' : 'warning';
      return { kind: 'price_anomaly', topic: 'jump', severity, figures };
    }
  }
  return before.isStale ? recovered(pps) : undefined;
};

const recovered = (pps: bigint | null): Finding => ({
  ...{ kind: 'price_anomaly', topic: 'recovered', severity: 'info' },
  figures: pps === null ? {} : { pps: `${pps}` },
});

const unlimited = 2n ** 256n - 1n;

const detectors: Readonly<Record<string, Detector>> = {
  'vault.Deposit': flow('large_deposit', { assets: 'assets', shares: 'shares', who: 'owner' }),
  'strategy.RedeemClaimable': flow('large_withdrawal', {
    ...{ assets: 'assetsFulfilled', shares: 'sharesFulfilled', who: 'controller' },
  }),
  'aggregator.PPSUpdated': price,
  'aggregator.StrategyCheckFailed': plainly('price_anomaly', 'warning', 'refused'),
  'aggregator.StrategyPPSStale': (_, { isStale }) =>
    isStale ? undefined : { kind: 'price_anomaly', topic: 'stale', severity: 'warning', figures: {} },
  'aggregator.StrategyPPSStaleReset': (_, { isStale }) => (isStale ? recovered(null) : undefined),
  'strategy.PerformanceFeeSkimmed': plainly('skim', 'info'),
  'aggregator.StrategyPaused': plainly('pause', 'critical', 'paused'),
  'aggregator.StrategyUnpaused': plainly('pause', 'notice', 'unpaused'),
  'aggregator.SecondaryManagerAdded': plainly('role_change', 'notice'),
  'aggregator.SecondaryManagerRemoved': plainly('role_change', 'notice'),
  'aggregator.PrimaryManagerChanged': plainly('role_change', 'warning'),
  'aggregator.PrimaryManagerChangeProposed': plainly('role_change', 'warning'),
  'aggregator.PrimaryManagerChangeCancelled': plainly('role_change', 'notice'),
  'strategy.YieldSourceAdded': plainly('source_change', 'notice'),
  'strategy.YieldSourceRemoved': plainly('source_change', 'notice'),
  'strategy.YieldSourceOracleUpdated': plainly('source_change', 'warning'),
  'strategy.VaultFeeConfigProposed': plainly('setting_change', 'notice'),
  'strategy.VaultFeeConfigUpdated': plainly('setting_change', 'notice'),
  'strategy.FeeRecipientChanged': plainly('setting_change', 'notice'),
  'strategy.HighWaterMarkReset': plainly('setting_change', 'warning'),
  'strategy.PPSExpirationProposed': plainly('setting_change', 'notice'),
  'strategy.PPSExpiryThresholdUpdated': plainly('setting_change', 'notice'),
  'strategy.PPSExpiryThresholdProposalCanceled': plainly('setting_change', 'info'),
  'aggregator.MinUpdateIntervalChangeProposed': plainly('setting_change', 'notice'),
  'aggregator.MinUpdateIntervalChanged': plainly('setting_change', 'notice'),
  'aggregator.MinUpdateIntervalChangeRejected': plainly('setting_change', 'info'),
  'aggregator.MinUpdateIntervalChangeCancelled': plainly('setting_change', 'info'),
  'aggregator.DeviationThresholdUpdated': (entry) => ({
    kind: 'setting_change',
    severity: amountIn(entry, 'deviationThreshold') === unlimited ? 'warning' : 'notice',
    figures: flat(entry.args),
  }),
  // Every round that fails emits it again, until somebody pays.
  'aggregator.InsufficientUpkeep': (entry, { isUpkeepShort }) =>
    isUpkeepShort
      ? undefined
      : { kind: 'upkeep', topic: 'short', severity: 'critical', figures: flat({ ...entry.args, strategyAddr: null }) },
  'aggregator.UpkeepWithdrawalProposed': plainly('upkeep', 'warning', 'withdrawal'),
  'aggregator.UpkeepWithdrawalCancelled': plainly('upkeep', 'info', 'withdrawal'),
  'aggregator.UpkeepWithdrawn': plainly('upkeep', 'notice', 'withdrawal'),
};

/** Every event that can become an item, for the test that each has words. */
export const notableEvents: readonly string[] = Object.keys(detectors);

/** Whether an item can be made of the event. */
export const canBeNotable = ({ contract, name }: LogEntry): boolean => detectors[`${contract}.${name}`] !== undefined;

/** What is notable of an entry, given the state of its vault before; undefined for routine. */
export function notableOf(entry: LogEntry, before: VaultState, thresholds: Thresholds): Notable | undefined {
  const finding = detectors[`${entry.contract}.${entry.name}`]?.(entry, before, thresholds);
  return finding && { topic: '', actor: null, name: wordsFor(entry, finding), ...finding };
}

const wordsFor = ({ name }: LogEntry, { topic }: Finding): string =>
  topic === 'jump' || topic === 'recovered' ? topic : name;
