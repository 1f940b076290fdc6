import { formatUnits, parseUnits } from 'viem/utils';
import { typedDecimals, typedNumber, typedPercent } from '../format/typed.ts';

type Unit = {
  /** Beside the label; none for counts and for names this page does not know. */
  of: (symbol: string) => string | undefined;
  show: (value: number) => string;
  /** Of a text that is a decimal number. */
  read: (text: string) => number;
  most?: number;
};

/** The native coin of every chain of the EVM has as many. */
const NATIVE_DECIMALS = 18;
/** Fine enough that a whole second comes back as it was. */
const TIME_DIGITS = 5;
const MOST = 1e30;

const plain: Unit = { of: () => undefined, show: typedNumber, read: Number };
const percent: Unit = {
  of: () => '%',
  show: typedPercent,
  read: (text) => Number(`${text}e-2`),
  most: 100,
};
const time = (word: string, seconds: number): Unit => ({
  of: () => word,
  show: (value) => typedDecimals(value / seconds, TIME_DIGITS),
  read: (text) => Math.round(Number(text) * seconds),
});
const hours = time('hours', 3_600);
const days = time('days', 86_400);
const coin: Unit = {
  of: (symbol) => symbol,
  // By the digits that stand for the number, not by those a double has behind them: 1234.56789 stays so.
  show: (value) => formatUnits(BigInt(typedNumber(Math.round(value))), NATIVE_DECIMALS),
  read: (text) => Number(parseUnits(text, NATIVE_DECIMALS)),
};

const words: Readonly<Record<string, { label: string; unit: Unit }>> = {
  remaining_share: { label: 'Time left until expiry', unit: percent },
  waiting_seconds: { label: 'Longest wait', unit: hours },
  guard_share: { label: 'Share of the guard', unit: percent },
  pending_requests: { label: 'Most that may wait', unit: plain },
  oldest_seconds: { label: 'Longest wait', unit: days },
  balance_wei: { label: 'Lowest balance', unit: coin },
  runway_seconds: { label: 'Lowest runway', unit: days },
  success_rate: { label: 'Lowest success rate', unit: percent },
  min_attempts: { label: 'Fewest attempts to judge by', unit: plain },
};

const unitOf = (name: string): Unit => words[name]?.unit ?? plain;

/** What a threshold is called, with its unit; `symbol` is that of the chain's native coin. */
export function thresholdLabel(name: string, symbol: string): string {
  const known = words[name];
  if (known === undefined) return name;
  const unit = known.unit.of(symbol);
  return unit === undefined ? known.label : `${known.label} (${unit})`;
}

/** A threshold as people read and type it. */
export const showThreshold = (name: string, value: number): string => unitOf(name).show(value);

export function thresholdFault(name: string, text: string): string | undefined {
  const { most, read } = unitOf(name);
  const typed = text.trim();
  const isNumber = /^\d+(\.\d+)?$/.test(typed);
  if (most !== undefined) return isNumber && Number(typed) <= most ? undefined : `A number, 0 to ${most}`;
  if (!isNumber) return 'A number, 0 or more';
  return read(typed) <= MOST ? undefined : 'Too large';
}

/** The threshold that a text without fault stands for, in the unit the rule counts in. */
export const readThreshold = (name: string, text: string): number => unitOf(name).read(text.trim());
