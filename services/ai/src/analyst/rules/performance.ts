import { isPriceSound, troubleOf } from './price.ts';
import type { Window } from './question.ts';
import { missing, note, sizeOf, type Topic } from './topic.ts';
import { either, type Phrase, plain, together } from './writer.ts';

const windows = [
  ['d30', 'over 30 days'],
  ['d7', 'over 7 days'],
  ['since_inception', 'since inception'],
] as const;

/** What holders earned over the longest window up to a month that has a value. */
export function earned(topic: Topic): Phrase | null {
  const { writer } = topic;
  const of = (read: string, window: string) => writer.figure(`performance.${read}.${window}`);
  return either(
    ...windows.flatMap(([window, words]) => [
      writer.phrase`The vault returned ${of('period_return', window)} ${words} after fees, an APY of ${of('apy', window)}.`,
      writer.phrase`The APY ${words} is ${of('apy', window)} after fees.`,
    ]),
    missing(topic, 'performance.apy.since_inception', 'The APY'),
  );
}

/** The APY of the last week against that of the month, or since inception. */
export function pace(topic: Topic): Phrase | null {
  const { writer } = topic;
  const of = (window: string) => writer.figure(`performance.apy.${window}`);
  const d7 = of('d7');
  const d30 = of('d30');
  const all = of('since_inception');
  const week = sizeOf(d7);
  const month = sizeOf(d30);
  const pace =
    week === null || month === null || week === month ? 'as strong as' : week > month ? 'stronger than' : 'weaker than';
  return either(
    writer.phrase`The last week was ${pace} the month: the APY is ${d7} over 7 days against ${d30} over 30 days.`,
    writer.phrase`The APY is ${d7} over 7 days against ${all} since inception.`,
    writer.phrase`The APY since inception is ${all}; shorter windows have no value yet.`,
    missing(topic, 'performance.apy.since_inception', 'The APY'),
  );
}

/** The return beside that of the benchmark. */
export const excess = ({ writer }: Topic): Phrase | null =>
  writer.phrase`The difference from the benchmark is ${writer.figure('performance.excess_return')} over 30 days.`;

const drivers = [
  { name: 'flow', words: 'deposits and withdrawals' },
  { name: 'yield', words: 'yield' },
  { name: 'fees', words: 'performance fees' },
  { name: 'price', words: 'the price of the asset' },
] as const;

/** How TVL changed over a window (a week, if none of its own is asked), and what changed it most. */
export function growth({ writer }: Topic, asked: Window | null): Phrase | null {
  const window = asked === 'h24' || asked === 'd30' ? asked : 'd7';
  const words = { h24: 'over 24 h', d7: 'over 7 days', d30: 'over 30 days' }[window];
  const of = (name: string) => writer.figure(`performance.tvl_change_split.${window}.${name}`);
  const [largest] = drivers
    .map(({ name, words: driver }) => ({ driver, figure: of(name), size: Math.abs(sizeOf(of(name)) ?? 0) }))
    .sort((a, b) => b.size - a.size);
  const total = of('total');
  return either(
    sizeOf(total) === 0 ? plain(`TVL did not change ${words}.`) : null,
    (largest?.size ?? 0) === 0
      ? null
      : writer.phrase`TVL changed by ${total} ${words}, mainly because of ${largest?.driver} (${largest?.figure}).`,
    writer.phrase`TVL changed by ${total} ${words}.`,
  );
}

/** What the vault holds. */
export const standing = ({ writer }: Topic): Phrase | null =>
  either(
    writer.phrase`The vault holds ${writer.figure('overview.tvl_usd')}, that is ${writer.figure('overview.tvl_asset')}.`,
    writer.phrase`The vault holds ${writer.figure('overview.tvl_asset')}; the asset has no price in dollars.`,
  );

const watched = ({ writer }: Topic): Phrase | null =>
  either(
    writer.phrase`Watch whether the pace holds with the next price, due at ${writer.figure('transmissions.next.due_at')}.`,
    plain('Watch whether the pace holds with the next price.'),
  );

/** The performance of a vault: what was earned, what changed and why, and what settles it. */
export const aboutPerformance = (topic: Topic): Phrase =>
  note(
    [
      earned(topic),
      pace(topic),
      growth(topic, 'd7') ??
        growth(topic, 'd30') ??
        missing(topic, 'performance.tvl_change_split.d7.total', 'The change of TVL'),
      excess(topic),
    ],
    isPriceSound(topic)
      ? watched(topic)
      : together([plain('Read these figures with care, and watch the price.'), troubleOf(topic)]),
  );
