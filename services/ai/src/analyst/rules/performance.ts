import { isPriceSound, troubleOf } from './price.ts';
import type { Window } from './question.ts';
import { missing, note, sizeOf, type Topic } from './topic.ts';
import { either, magnitude, type Phrase, plain, together } from './writer.ts';

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
export function excess({ writer }: Topic): Phrase | null {
  const figure = writer.figure('performance.excess_return');
  const size = magnitude(figure);
  // A difference of two percentages is one in percentage points.
  const points = size && { ...size, text: size.text.replace(/ %$/, ' percentage points') };
  const side = (sizeOf(figure) ?? 0) < 0 ? 'below' : 'above';
  return either(
    sizeOf(figure) === 0 ? plain('The return was that of the benchmark over 30 days.') : null,
    writer.phrase`The return was ${points} ${side} that of the benchmark over 30 days.`,
  );
}

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
  const total = of('total');
  const change = sizeOf(total) ?? 0;
  const [rose, rise] = change < 0 ? ['fell', 'fall'] : ['rose', 'rise'];
  // What went the other way is no part of the change.
  const [largest] = drivers
    .map(({ name, words: driver }) => ({ driver, figure: of(name), size: sizeOf(of(name)) ?? 0 }))
    .filter(({ size }) => size * change > 0)
    .sort((a, b) => Math.abs(b.size) - Math.abs(a.size));
  const part = magnitude(largest?.figure ?? null);
  const isPart = Math.abs(largest?.size ?? 0) <= Math.abs(change);
  return either(
    change === 0 && total !== null ? plain(`TVL did not change ${words}.`) : null,
    isPart
      ? writer.phrase`TVL ${rose} by ${magnitude(total)} ${words}, of which ${part} from ${largest?.driver}.`
      : writer.phrase`TVL ${rose} by ${magnitude(total)} ${words}: ${largest?.driver} alone made it ${rise} by ${part}.`,
    writer.phrase`TVL ${rose} by ${magnitude(total)} ${words}.`,
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
