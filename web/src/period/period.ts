import { formatDuration } from '../format/time.ts';

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
  const age = days === 0 ? formatDuration(ageSeconds) : `${days} ${days === 1 ? 'day' : 'days'}`;
  return `The vault is ${age} old`;
}

/** What the URL names; without it 30 days, or all of a younger vault. */
export function periodOf(text: string | null, ageSeconds: number): Period {
  if (isPeriod(text)) return text;
  return whyNot('30d', ageSeconds) === undefined ? '30d' : 'all';
}
