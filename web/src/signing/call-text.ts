import type { PreparedChange } from '@castellan/contracts';
import { type ArgValue, argOf, type Decoded, type KnownFunction } from '@castellan/sdk/calls';
import { maxUint256 } from 'viem';
import { shortHex } from '../format/address.ts';
import { formatExact } from '../format/amount.ts';
import { formatBpsShare, formatCount, formatCounted } from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';

/** A token's amounts in words. */
export type Unit = { decimals: number; symbol: string };
/** What amounts of a vault are in; without one they stay base units. */
export type Units = {
  asset?: Unit;
  share?: Unit;
  upkeep?: Unit;
  /** Of what is approved; upkeep where nothing is said. */
  approved?: Unit;
  priceDecimals?: number;
  /** Names of contracts by their address in lower case. */
  names?: Readonly<Record<string, string>>;
};

const inUnit = (raw: string, unit: Unit | undefined): string =>
  unit === undefined ? `${raw} base units` : `${formatExact(raw, unit.decimals)} ${unit.symbol}`;
const oneOf = (value: ArgValue | undefined): string => (typeof value === 'string' ? value : (value?.join(', ') ?? ''));
const countOf = (value: ArgValue | undefined): number => (typeof value === 'string' ? 1 : (value?.length ?? 0));

/** A threshold of the chain, a fraction of 1e18, as a percentage. */
function threshold(raw: string): string {
  const value = BigInt(raw);
  if (value === maxUint256) return 'off';
  return `${formatExact(value, 16)}%`;
}

const sourceVerbs = ['Adds', 'Changes the oracle of', 'Removes'];
const expirationSentences = [
  (value: string) => `Proposes that a price expires after ${formatDuration(Number(value))}.`,
  () => 'Puts the proposed expiration of prices into force.',
  () => 'Cancels the proposed expiration of prices.',
];

const listOf = (value: ArgValue | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** A contract by the name it has on the vault, with its short address; one without a name in full. */
const contractWords = (address: string, { names }: Units): string => {
  const name = names?.[address.toLowerCase()];
  return name === undefined ? address : `${name} (${shortHex(address)})`;
};

/** Each action with the sources it is done to: one call may add some and remove others. */
function sourcesSentence(decoded: Decoded, units: Units): string {
  const sources = listOf(argOf(decoded, 'sources') ?? argOf(decoded, 'source'));
  const actions = listOf(argOf(decoded, 'actionTypes') ?? argOf(decoded, 'actionType'));
  return [...new Set(actions)]
    .map((action) => {
      const touched = sources.filter((_, index) => actions[index] === action);
      const words = touched.map((each) => contractWords(each, units)).join(', ');
      const what =
        touched.length === 1 ? `the yield source ${words}` : `${formatCount(touched.length)} yield sources: ${words}`;
      return `${sourceVerbs[Number(action)] ?? `Does something this page does not know (action ${action}) to`} ${what}.`;
    })
    .join(' ');
}

function leavesSentence(decoded: Decoded): string {
  const leaves = argOf(decoded, 'leaves');
  const statuses = argOf(decoded, 'statuses');
  const all = typeof statuses === 'string' ? [statuses] : (statuses ?? []);
  const banned = all.filter((status) => status === 'true').length;
  const count = countOf(leaves);
  const words = formatCounted(count, 'leaf', 'leaves');
  if (banned === 0) return `Allows ${words} of the global hooks root again.`;
  if (banned === count) return `Bans ${words} of the global hooks root.`;
  return `Bans ${banned} of ${words} of the global hooks root and allows the others.`;
}

type Sentence = (arg: (name: string) => string, units: Units, decoded: Decoded) => string;
const sentences: Record<KnownFunction, Sentence> = {
  addSecondaryManager: (arg) => `Makes ${arg('manager')} a secondary manager.`,
  removeSecondaryManager: (arg) => `Removes ${arg('manager')} as a secondary manager.`,
  cancelChangePrimaryManager: () => 'Cancels the proposed change of the primary manager.',
  proposeVaultFeeConfigUpdate: (arg) =>
    `Proposes a performance fee of ${formatBpsShare(Number(arg('performanceFeeBps')))} and an entry fee of ${formatBpsShare(Number(arg('managementFeeBps')))}, paid to ${arg('recipient')}.`,
  executeVaultFeeConfigUpdate: () =>
    'Puts the proposed fees into force. The high-water mark is set to the price of that moment.',
  skimPerformanceFee: () => 'Takes the performance fee that is due and sets the high-water mark.',
  updateDeviationThreshold: (arg) => {
    const limit = threshold(arg('deviationThreshold_'));
    return limit === 'off'
      ? 'Switches the deviation guard off: a price may jump by any amount.'
      : `Lets a price jump by at most ${limit}: a larger jump pauses the vault.`;
  },
  managePPSExpiration: (arg) =>
    expirationSentences[Number(arg('action'))]?.(arg('ppsExpiration')) ?? 'Changes the expiration of prices.',
  proposeMinUpdateIntervalChange: (arg) =>
    `Proposes a minimum of ${formatDuration(Number(arg('newMinUpdateInterval')))} between two prices.`,
  executeMinUpdateIntervalChange: () => 'Puts the proposed interval between two prices into force.',
  cancelMinUpdateIntervalChange: () => 'Cancels the proposed interval between two prices.',
  approve: (arg, { approved, upkeep }) =>
    `Lets ${arg('spender')} take ${inUnit(arg('value'), approved ?? upkeep)} from your wallet.`,
  depositUpkeep: (arg, { upkeep }) => `Pays ${inUnit(arg('amount'), upkeep)} into the upkeep of the vault.`,
  proposeWithdrawUpkeep: () => 'Proposes to withdraw the whole upkeep balance.',
  executeWithdrawUpkeep: () => 'Pays the proposed withdrawal of upkeep to the primary manager.',
  pauseStrategy: () => 'Pauses the vault.',
  unpauseStrategy: () => 'Unpauses the vault.',
  manageYieldSource: (_, units, decoded) => sourcesSentence(decoded, units),
  manageYieldSources: (_, units, decoded) => sourcesSentence(decoded, units),
  proposeStrategyHooksRoot: (arg) => `Proposes the hooks root ${arg('newRoot')}.`,
  executeStrategyHooksRootUpdate: () => 'Puts into force whichever hooks root is proposed at that moment.',
  fulfillRedeemRequests: (_, { asset }, decoded) => {
    const paid = listOf(argOf(decoded, 'totalAssetsOut')).reduce((total, each) => total + BigInt(each), 0n);
    const wallets = formatCounted(countOf(argOf(decoded, 'controllers')), 'wallet');
    return `Pays ${inUnit(`${paid}`, asset)} to ${wallets} that wait for a redemption.`;
  },
  fulfillCancelRedeemRequests: (_, __, decoded) =>
    `Gives ${formatCounted(countOf(argOf(decoded, 'controllers')), 'wallet')} the shares of cancelled requests back.`,
  changeGlobalLeavesStatus: (_, __, decoded) => leavesSentence(decoded),
  deposit: (arg, { asset }) => `Deposits ${inUnit(arg('assets'), asset)}. The shares go to ${arg('receiver')}.`,
  requestRedeem: (arg, { share }) => `Asks the vault to redeem ${inUnit(arg('shares'), share)} of ${arg('owner')}.`,
  cancelRedeemRequest: (arg) => `Cancels the request to redeem of ${arg('controller')}.`,
  withdraw: (arg, { asset }) => `Claims ${inUnit(arg('assets'), asset)} that the vault paid, to ${arg('receiver')}.`,
  claimCancelRedeemRequest: (arg) => `Takes the shares of a cancelled request back, to ${arg('receiver')}.`,
};

/** What the bytes do, in one sentence made here and not by the server. */
export const sentenceOf = (decoded: Decoded, units: Units): string =>
  sentences[decoded.function]((name) => oneOf(argOf(decoded, name)), units, decoded);

const DAYS_OF_CLARITY = 315_360_000n;

function unitOfArgument(name: string, { asset, share, upkeep, approved }: Units): Unit | undefined {
  if (name === 'value') return approved ?? upkeep;
  if (name === 'amount') return upkeep;
  if (name === 'shares') return share;
  return name === 'totalAssetsOut' || name === 'assets' ? asset : undefined;
}

/** An argument for reading beside its raw value; undefined where the raw value says it all. */
export function readable(name: string, value: string, units: Units): string | undefined {
  if (name === 'performanceFeeBps') return formatBpsShare(Number(value));
  // The ABI's name for what the screens call by what it is.
  if (name === 'managementFeeBps') return `${formatBpsShare(Number(value))}, the entry fee`;
  if (name === 'deviationThreshold_') return threshold(value);
  if (name === 'ppsExpiration' || name === 'newMinUpdateInterval') {
    return value === '0' || BigInt(value) > DAYS_OF_CLARITY ? undefined : formatDuration(Number(value));
  }
  const unit = unitOfArgument(name, units);
  if (unit !== undefined) return inUnit(value, unit);
  if (name.startsWith('actionType')) return ['add', 'change oracle', 'remove'][Number(value)] ?? 'not known';
  return undefined;
}

const unitSuffixes = /_(bps|seconds|at|time|pps|assets|address|addresses)$/;
const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** What the interface calls by another name than the chain. */
const fieldNames: Readonly<Record<string, string>> = {
  management_fee_bps: 'Entry fee',
  pending_management_fee_bps: 'Proposed entry fee',
  hwm_pps: 'High-water mark',
  current_pps: 'Price per share',
  is_pps_stale: 'Waiting for a price',
  allowance: 'Can be taken from your wallet',
  asset_allowance: 'The vault may take from your wallet',
  free_assets: 'Idle assets',
  wallet_assets: 'In your wallet',
  wallet_shares: 'Shares in your wallet',
  waiting_shares: 'Shares that wait to be redeemed',
  claimable_assets: 'To claim',
  claimable_shares: 'Shares to take back',
};

/** A field in words: "performance_fee_bps" is "Performance fee". */
export const fieldWords = (field: string): string =>
  fieldNames[field] ??
  capital(
    field
      .replace(unitSuffixes, '')
      .replace(/^pending_/, 'proposed_')
      .replace(/^is_/, '')
      .replaceAll('_', ' ')
      // In full it is among the arguments of the call.
      .replace(/0x[0-9a-f]{40}$/i, (address) => shortHex(address)),
  );

const isInteger = (value: PreparedChange['before']): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+$/.test(value));

/** One side of a change with its unit, as the field's name gives it. */
export function changeText(field: string, value: PreparedChange['before'], units: Units): string {
  if (value === null) return field.includes('threshold') ? 'off' : 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (field.endsWith('_bps') && isInteger(value)) return formatBpsShare(Number(value));
  if (field.endsWith('_seconds') && isInteger(value)) return formatDuration(Number(value));
  if (/(_at|_time)$/.test(field) && typeof value === 'string' && !Number.isNaN(Date.parse(value)))
    return formatUtc(value);
  if (field === 'role' && typeof value === 'string') return value.replaceAll('_', ' ');
  if (isInteger(value)) {
    if (field.endsWith('_pps') && units.priceDecimals !== undefined)
      return formatExact(String(value), units.priceDecimals);
    if (/asset/.test(field)) return inUnit(String(value), units.asset);
    if (/upkeep|allowance|wallet_balance/.test(field)) return inUnit(String(value), units.upkeep);
    if (/shares/.test(field)) return inUnit(String(value), units.share);
  }
  return String(value);
}
