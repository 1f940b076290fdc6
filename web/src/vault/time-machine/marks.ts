import type { AnalyticsResult } from '../../data/use-analytics.ts';

export type EventMark = AnalyticsResult<'analyticsMarks'>['marks'][number];
export type MarkKind = EventMark['kind'] | 'breach';

/** Something that happened, or a promise of the mandate that was broken. */
export type Mark = { t: string; kind: MarkKind; words: string };

/** The most severe first: so they stand under each other, and where there is no room the last are left out. */
export const markKinds: Readonly<Record<MarkKind, { one: string; many: string; colour: string }>> = {
  breach: { one: 'breach', many: 'breaches', colour: 'var(--danger)' },
  pause: { one: 'pause or its end', many: 'pauses and their ends', colour: 'var(--danger)' },
  guard: { one: 'price guard', many: 'price guards', colour: 'var(--series-2)' },
  role: { one: 'role', many: 'roles', colour: 'var(--series-5)' },
  setting: { one: 'setting', many: 'settings', colour: 'var(--series-4)' },
  fee: { one: 'fee', many: 'fees', colour: 'var(--series-6)' },
  redemption: { one: 'redemption step', many: 'redemption steps', colour: 'var(--series-3)' },
  deposit: { one: 'deposit', many: 'deposits', colour: 'var(--series-1)' },
};

export const kindOrder = Object.keys(markKinds) as MarkKind[];

/** The kinds that something happened of, the most severe first. */
export const kindsOf = (marks: readonly Pick<Mark, 'kind'>[]): MarkKind[] =>
  kindOrder.filter((kind) => marks.some((mark) => mark.kind === kind));

/** The name of an event of the contracts as words: `MinUpdateIntervalChanged` is "Min update interval changed". */
export function eventWords(event: string): string {
  const words = event.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  const text = words
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export const ofEvent = ({ t, kind, event }: EventMark): Mark => ({ t, kind, words: eventWords(event) });

/** The beginning of a broken promise as a mark. */
export const ofBreach = ({ promise_id, started }: { promise_id: string; started: { time: string } }): Mark => ({
  t: started.time,
  kind: 'breach',
  words: `Promise “${promise_id}” broken`,
});

/** Both kinds of marks in the order of time. */
export const merged = (marks: readonly Mark[]): Mark[] =>
  [...marks].sort((left, right) => Date.parse(left.t) - Date.parse(right.t));

/** Beginnings of the marks' kinds with their numbers: "2 deposits, 1 role"; empty without marks. */
export function countWords(marks: readonly Pick<Mark, 'kind'>[]): string {
  const counts = Map.groupBy(marks, ({ kind }) => kind);
  return kindOrder
    .flatMap((kind) => {
      const count = counts.get(kind)?.length ?? 0;
      return count === 0 ? [] : [`${count} ${count === 1 ? markKinds[kind].one : markKinds[kind].many}`];
    })
    .join(', ');
}

const DAY_S = 86_400;
/** Steps of the slider that fall on round times, in seconds. */
const steps = [60, 300, 900, 3_600, 6 * 3_600, DAY_S] as const;

/** A step with which the whole life is a few thousand of them at most. */
export const stepOf = (seconds: number): number => steps.find((step) => seconds / step <= 3_000) ?? DAY_S;

/** The mark before or after a moment, the present without one. */
export function neighbour(marks: readonly Mark[], at: number, direction: -1 | 1): Mark | undefined {
  return direction === 1 ? marks.find(({ t }) => Date.parse(t) > at) : marks.findLast(({ t }) => Date.parse(t) < at);
}

/** A month of UTC: `2026-11`. */
export const monthOf = (instant: string | number): string => new Date(instant).toISOString().slice(0, 7);
export const dayOf = (instant: string | number): string => new Date(instant).toISOString().slice(0, 10);

/** The month so many months later. */
export function monthAfter(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return monthOf(Date.UTC(year, number - 1 + by, 1));
}

/** The day so many days later. */
export const dayAfter = (day: string, by: number): string => dayOf(Date.parse(`${day}T00:00:00Z`) + by * DAY_S * 1_000);

/** First and last second of a day. */
export const endOfDay = (day: string): string => `${day}T23:59:59.000Z`;

/** The weeks of a month from Monday to Sunday; null where a week has days of another month. */
export function weeksOf(month: string): (string | null)[][] {
  const first = Date.parse(`${month}-01T00:00:00Z`);
  const before = (new Date(first).getUTCDay() + 6) % 7;
  const length = new Date(Date.parse(`${monthAfter(month, 1)}-01T00:00:00Z`) - 1).getUTCDate();
  const days = [
    ...Array.from({ length: before }, () => null),
    ...Array.from({ length }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`),
  ];
  return Array.from({ length: Math.ceil(days.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (__, day) => days[week * 7 + day] ?? null),
  );
}
