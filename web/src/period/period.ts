import { formatDays, formatDuration, formatUtc } from '../format/time.ts';
import { momentOf } from '../moment/moment.ts';

export const periods = ['24h', '7d', '30d', '90d', '1y', 'all'] as const;
export type Period = (typeof periods)[number];

const DAY = 86_400;
const seconds: Record<Exclude<Period, 'all'>, number> = {
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
  '1y': 365 * DAY,
};

export const periodLabels: Record<Period, string> = {
  '24h': '24h',
  '7d': '7d',
  '30d': '30d',
  '90d': '90d',
  '1y': '1y',
  all: 'All',
};

/** For the middle of a sentence: "over the last 30 days". */
export const periodWords: Record<Period, string> = {
  '24h': 'over the last 24 hours',
  '7d': 'over the last 7 days',
  '30d': 'over the last 30 days',
  '90d': 'over the last 90 days',
  '1y': 'over the last year',
  all: 'since the vault began',
};

export const isPeriod = (text: string | null): text is Period => periods.some((each) => each === text);

/** Why a period cannot be chosen: the vault is younger. Undefined when it can. */
export function whyNot(period: Period, ageSeconds: number): string | undefined {
  if (period === 'all' || ageSeconds >= seconds[period]) return undefined;
  const days = Math.floor(ageSeconds / DAY);
  const age = days === 0 ? formatDuration(ageSeconds) : formatDays(days);
  return `The vault is ${age} old`;
}

/** What the URL names; without it 30 days, or all of a younger vault. */
export function periodOf(text: string | null, ageSeconds: number): Period {
  if (isPeriod(text)) return text;
  return whyNot('30d', ageSeconds) === undefined ? '30d' : 'all';
}

/** Times of one's own choice, as the API takes them; an open end is the moment the page shows. */
export type CustomRange = { from: string; to?: string };
/** The range of the page in the form that reads take it. */
export type Span = { period: Period } | CustomRange;

/** For the middle of a sentence: "over the last 30 days", "from 1 Nov 2026, 00:00 UTC to ...". */
export function spanWords(span: Span): string {
  if ('period' in span) return periodWords[span.period];
  return span.to === undefined
    ? `since ${formatUtc(span.from)}`
    : `from ${formatUtc(span.from)} to ${formatUtc(span.to)}`;
}

/** For names of files. */
export const spanName = (span: Span): string =>
  'period' in span ? span.period : [span.from, span.to ?? 'now'].map((end) => end.slice(0, 10)).join('-to-');

/** Between which times a range can lie: the vault's beginning and the moment the page shows. */
export type Limits = { created: string; end: string };

/** Why the server would refuse a range, in words; undefined for a good one. */
export function rangeFault({ from, to }: { from: string; to: string }, { created, end }: Limits): string | undefined {
  const start = momentOf(from).at;
  const stop = momentOf(to).at;
  if (start === undefined || stop === undefined) return 'Give both a beginning and an end.';
  if (Date.parse(stop) > Date.parse(end)) return `The vault is read up to ${formatUtc(end)}; end there or earlier.`;
  if (Date.parse(stop) <= Date.parse(created)) return `The vault began on ${formatUtc(created)}, after this range.`;
  if (Date.parse(start) >= Date.parse(stop)) return 'The beginning must be before the end.';
  return undefined;
}

/** The range the URL names: `from` and `to` before `period`; why it is not followed, where it cannot be. */
export function spanOf(
  query: URLSearchParams,
  ageSeconds: number,
  limits: Limits,
): { span: Span; fault: string | undefined } {
  const from = query.get('from');
  const to = query.get('to');
  const usual: Span = { period: periodOf(query.get('period'), ageSeconds) };
  if (from === null && to === null) return { span: usual, fault: undefined };
  const fault = rangeFault({ from: from ?? '', to: to ?? limits.end }, limits);
  const start = momentOf(from).at;
  if (fault !== undefined || start === undefined) return { span: usual, fault };
  const stop = momentOf(to).at;
  return { span: stop === undefined ? { from: start } : { from: start, to: stop }, fault: undefined };
}
