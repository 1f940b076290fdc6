import { deviationThresholdBps } from '@castellan/chain';
import type { FigureUnit } from '../../domain/figure.ts';
import { say } from '../../domain/say.ts';
import type { Figures } from './notable.ts';

/** What the words of an item need besides its own figures: tokens of the vault, and how wallets and yield sources are called. */
export type Words = {
  asset: { symbol: string; decimals: number };
  upkeep: { symbol: string; decimals: number } | null;
  ppsDecimals: number;
  nameOf: (wallet: string) => string;
  /** Null for a source that the vault does not have any more. */
  sourceName: (address: string) => string | null;
};
/** An item in words. */
export type Said = { title: string; body: string };
type Sentence = (figures: Figures, words: Words) => Said | string;

type Value = Figures[string] | undefined;
const isUint = (value: Value): value is string | number => /^(0|[1-9]\d*)$/.test(String(value));
const isAddress = (value: Value): value is string => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);

/** `0x1234…cdef`. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

const sayAs = (
  unit: FigureUnit,
  value: number | string,
  token?: { symbol: string | null; decimals: number } | null,
): string =>
  say({
    ...{ path: '', label: '', unit, value, direction: 'magnitude' },
    ...{ symbol: token?.symbol ?? null, decimals: token?.decimals ?? null },
  }) ?? '';

const amount = (value: Value, token: { symbol: string; decimals: number } | null): string =>
  isUint(value) && token ? sayAs('token', String(value), token) : 'an unknown amount';

const seconds = (value: Value): string => (isUint(value) ? sayAs('seconds', String(value)) : 'an unknown time');
const priceOf = (value: Value, { ppsDecimals }: Words): string =>
  isUint(value) ? sayAs('pps', String(value), { symbol: null, decimals: ppsDecimals }) : 'unknown';

/** Basis points as a percentage: 1050 is `10.50 %`. */
function percent(bps: Value): string {
  if (!/^\d+(\.\d+)?$/.test(String(bps))) return 'an unknown share';
  return sayAs('fraction', String(bps), { symbol: null, decimals: 4 });
}

const who = (value: Value, { nameOf }: Words): string => (isAddress(value) ? nameOf(value) : 'an unknown wallet');
const contract = (value: Value): string => (isAddress(value) ? shortAddress(value) : 'a contract');
function source(value: Value, { sourceName }: Words): string {
  const name = isAddress(value) ? text(sourceName(value)) : '';
  return name === '' ? contract(value) : `“${name}”`;
}
/** Text of a contract: one line, no longer than a line. */
const text = (value: Value): string =>
  String(value ?? '')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);

const day = (unix: Value): string =>
  isUint(unix) && Number(unix) < 8.64e12
    ? `${sayAs('time', new Date(Number(unix) * 1000).toISOString())}`
    : 'an unknown time';

function part({ share_bps, total_assets_before }: Figures, words: Words): string {
  if (share_bps === null || share_bps === undefined) return 'The vault was empty before.';
  const before = amount(total_assets_before, words.asset);
  return `That is ${percent(share_bps)} of the ${before} the vault held before.`;
}

const feeTerms = ({ performanceFeeBps, managementFeeBps }: Figures): string =>
  `${percent(performanceFeeBps)} of profit and ${percent(managementFeeBps)} of deposits`;

const flows: Readonly<Record<string, Sentence>> = {
  Deposit: (f, words) => ({ title: `${amount(f.assets, words.asset)} was deposited`, body: part(f, words) }),
  RedeemClaimable: (f, words) => ({ title: `${amount(f.assets, words.asset)} was withdrawn`, body: part(f, words) }),
  PerformanceFeeSkimmed: (f, words) => ({
    title: `A performance fee of ${amount(f.totalFee, words.asset)} was taken`,
    body: `${amount(f.superformFee, words.asset)} of it went to the protocol.`,
  }),
  InsufficientUpkeep: (f, { upkeep }) => ({
    title: 'The upkeep is spent',
    body: `A price update costs ${amount(f.cost, upkeep)}, and ${amount(f.balance, upkeep)} is left. No price is accepted until upkeep is deposited.`,
  }),
  UpkeepWithdrawalProposed: (f, { upkeep }) => ({
    title: `A withdrawal of ${amount(f.amount, upkeep)} of upkeep was proposed`,
    body: `It can be executed from ${day(f.effectiveTime)}.`,
  }),
  UpkeepWithdrawalCancelled: () => 'The withdrawal of upkeep was cancelled',
  UpkeepWithdrawn: (f, { upkeep }) => `${amount(f.amount, upkeep)} of upkeep was withdrawn`,
};

const direction = ({ move_bps }: Figures): string => (Number(move_bps) < 0 ? 'fell' : 'rose');

const prices: Readonly<Record<string, Sentence>> = {
  jump: (f, words) => ({
    title: `The price per share ${direction(f)} by ${percent(Math.abs(Number(f.move_bps)))} in one update`,
    body: `From ${priceOf(f.pps_before, words)} to ${priceOf(f.pps, words)}${f.was_stale === true ? ', after a stale price' : ''}.`,
  }),
  recovered: () => 'The price is fresh again',
  StrategyCheckFailed: (f) => ({ title: 'A price was refused', body: `Reason given by the chain: ${text(f.reason)}` }),
  StrategyPPSStale: () => ({
    title: 'The price is stale',
    body: 'Deposits and redemptions are on hold until the next price is accepted.',
  }),
  StrategyPaused: () => ({
    title: 'The vault was paused',
    body: 'Deposits, redemptions and price updates are on hold.',
  }),
  StrategyUnpaused: () => 'The vault was unpaused',
};

const roles: Readonly<Record<string, Sentence>> = {
  SecondaryManagerAdded: (f, words) => `${who(f.manager, words)} became a secondary manager`,
  SecondaryManagerRemoved: (f, words) => `${who(f.manager, words)} is no longer a secondary manager`,
  PrimaryManagerChanged: (f, words) =>
    `${who(f.newManager, words)} became the primary manager in place of ${who(f.oldManager, words)}`,
  PrimaryManagerChangeProposed: (f, words) => ({
    title: `${who(f.newManager, words)} was proposed as the primary manager`,
    body: `The change can be executed from ${day(f.effectiveTime)}.`,
  }),
  PrimaryManagerChangeCancelled: (f, words) =>
    `The proposal to make ${who(f.cancelledManager, words)} the primary manager was cancelled`,
};

const sources: Readonly<Record<string, Sentence>> = {
  YieldSourceAdded: (f, words) => `The yield source ${source(f.source, words)} was added`,
  YieldSourceRemoved: (f, words) => `The yield source ${source(f.source, words)} was removed`,
  YieldSourceOracleUpdated: (f, words) => ({
    title: `The yield source ${source(f.source, words)} is now valued by another oracle`,
    body: `${contract(f.newOracle)} in place of ${contract(f.oldOracle)}.`,
  }),
};

function guard({ deviationThreshold }: Figures): string {
  if (!isUint(deviationThreshold)) return 'The deviation guard was changed';
  const bps = deviationThresholdBps(BigInt(deviationThreshold));
  return bps === null ? 'The deviation guard was turned off' : `The deviation guard was set to ${percent(bps)}`;
}

const settings: Readonly<Record<string, Sentence>> = {
  VaultFeeConfigProposed: (f) => ({
    title: `New fees were proposed: ${feeTerms(f)}`,
    body: `They can take effect from ${day(f.effectiveTime)}.`,
  }),
  VaultFeeConfigUpdated: (f) => `Fees were set: ${feeTerms(f)}`,
  FeeRecipientChanged: (f, words) => `Fees are now paid to ${who(f.newRecipient, words)}`,
  HighWaterMarkReset: (f, words) => `The high-water mark was reset to ${priceOf(f.newHwmPps, words)}`,
  PPSExpirationProposed: (f) => ({
    title: `A price expiration of ${seconds(f.ppsExpiration)} was proposed`,
    body: `It can take effect from ${day(f.effectiveTime)}.`,
  }),
  PPSExpiryThresholdUpdated: (f) => `Prices expire after ${seconds(f.ppsExpiration)}`,
  PPSExpiryThresholdProposalCanceled: () => 'The proposed price expiration was cancelled',
  MinUpdateIntervalChangeProposed: (f) => ({
    title: `A minimum of ${seconds(f.newMinUpdateInterval)} between prices was proposed`,
    body: `It can take effect from ${day(f.effectiveTime)}.`,
  }),
  MinUpdateIntervalChanged: (f) => `The minimum time between prices is ${seconds(f.newMinUpdateInterval)}`,
  MinUpdateIntervalChangeRejected: (f) =>
    `The proposed minimum of ${seconds(f.proposedInterval)} between prices was rejected`,
  MinUpdateIntervalChangeCancelled: (f) =>
    `The proposed minimum of ${seconds(f.cancelledInterval)} between prices was cancelled`,
  DeviationThresholdUpdated: (f) => guard(f),
};

const sentences = new Map(Object.entries({ ...flows, ...prices, ...roles, ...sources, ...settings }));

/** Whether there are words for this name. */
export const hasWords = (name: string): boolean => sentences.has(name);

/** One fact in words. */
export function sayFact({ name, figures }: { name: string; figures: Figures }, words: Words): Said {
  const said = sentences.get(name)?.(figures, words) ?? name;
  return typeof said === 'string' ? { title: said, body: '' } : said;
}
