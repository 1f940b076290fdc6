import { formatExact, withMinus } from '../format/amount.ts';
import { formatCounted } from '../format/figures.ts';
import { formatDuration } from '../format/time.ts';
import { typedNumber, typedPercent } from '../format/typed.ts';
import type { AlertRule } from './queries.ts';

type Thresholds = Readonly<Record<string, number>>;

/** The native coin of every chain of the EVM has as many. */
const NATIVE_DECIMALS = 18;
const coins = (wei: number, symbol: string): string =>
  `${formatExact(typedNumber(Math.round(wei)), NATIVE_DECIMALS)} ${symbol}`;

const share = (fraction: number): string => `${typedPercent(fraction)}%`;

/** What thresholds of one name say, with their unit; `symbol` is that of the chain's native coin. */
const words: Readonly<Record<string, (value: number, symbol: string) => string>> = {
  remaining_share: (value) => `${share(value)} or less of the time until expiry is left`,
  waiting_seconds: (value) => `no price for ${formatDuration(value)}`,
  guard_share: (value) => `beyond ${share(value)} of the guard`,
  pending_requests: (value) => `more than ${formatCounted(value, 'request')} waiting`,
  oldest_seconds: (value) => `one for longer than ${formatDuration(value)}`,
  balance_wei: (value, symbol) => `less than ${coins(value, symbol)}`,
  runway_seconds: (value) => `less than ${formatDuration(value)} of upkeep`,
  success_rate: (value) => `less than ${share(value)} accepted`,
  min_attempts: (value) => `of ${formatCounted(value, 'attempt')} or more`,
};
/** Thresholds of which one alone does not open an alert. */
const conditions: ReadonlySet<string> = new Set(['min_attempts']);

function thresholdsWords(thresholds: Thresholds, symbol: string): string {
  return Object.entries(thresholds).reduce((said, [name, value]) => {
    const one = words[name]?.(value, symbol) ?? `${name} ${withMinus(typedNumber(value))}`;
    if (said === '') return one;
    return conditions.has(name) ? `${said} ${one}` : `${said}, or ${one}`;
  }, '');
}

const started = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** When a rule of the catalogue opens its alert: "Less than 0.05 ETH, for 60 s". */
export function ruleWords({ settings }: Pick<AlertRule, 'settings'>, symbol: string): string {
  const { thresholds, for_seconds } = settings;
  const said = thresholdsWords(thresholds, symbol);
  if (said === '') return for_seconds === 0 ? 'At once' : `After ${formatDuration(for_seconds)}`;
  return started(for_seconds === 0 ? said : `${said}, for ${formatDuration(for_seconds)}`);
}
