import { isPriceSound, latenessOf, pauseOf, stateOf } from './price.ts';
import { missing, sizeOf, type Topic } from './topic.ts';
import { either, type Phrase, plain, together } from './writer.ts';

/** The APY over a week against that over a month and since inception. */
export function pace(topic: Topic): Phrase | null {
  const { writer } = topic;
  const of = (window: string) => writer.figure(`performance.apy.${window}`);
  const [d7, d30, all] = [of('d7'), of('d30'), of('since_inception')];
  return either(
    writer.phrase`The APY is ${d7} over 7 days, against ${d30} over 30 days and ${all} since inception.`,
    writer.phrase`The APY is ${d7} over 7 days, against ${d30} over 30 days.`,
    writer.phrase`The APY is ${d7} over 7 days, against ${all} since inception.`,
    writer.phrase`The APY since inception is ${all}; shorter windows have no value yet.`,
    missing(topic, 'performance.apy.since_inception', 'The APY'),
  );
}

function trend({ writer }: Topic): Phrase | null {
  const [week, month] = [sizeOf(writer.figure('performance.apy.d7')), sizeOf(writer.figure('performance.apy.d30'))];
  if (week === null || month === null) return null;
  if (week === month) return plain('The last week kept the pace of the month.');
  return plain(
    week > month ? 'The last week was stronger than the month.' : 'The last week was weaker than the month.',
  );
}

function returns({ writer }: Topic): Phrase | null {
  const of = (window: string) => writer.figure(`performance.period_return.${window}`);
  return either(
    writer.phrase`Holders earned a return of ${of('d7')} over 7 days, ${of('d30')} over 30 days and ${of('since_inception')} since inception, after fees.`,
    writer.phrase`Holders earned a return of ${of('d30')} over 30 days and ${of('since_inception')} since inception, after fees.`,
    writer.phrase`Holders earned a return of ${of('since_inception')} since inception, after fees.`,
  );
}

const drivers = [
  { name: 'flow', words: 'deposits and withdrawals' },
  { name: 'yield', words: 'yield' },
  { name: 'price', words: 'the price of the asset' },
] as const;

/** How TVL changed over a window, split into flows, yield and price, with the largest of them named. */
export function growth(topic: Topic, window: 'd7' | 'd30'): Phrase | null {
  const { writer } = topic;
  const words = window === 'd7' ? 'over 7 days' : 'over 30 days';
  const of = (name: string) => writer.figure(`performance.tvl_change_split.${window}.${name}`);
  const largest = drivers
    .map(({ name, words: driver }) => ({ driver, size: Math.abs(sizeOf(of(name)) ?? 0) }))
    .sort((a, b) => b.size - a.size)[0];
  return either(
    together([
      writer.phrase`TVL changed by ${of('total')} ${words}, of which deposits and withdrawals make ${of('flow')}, yield ${of('yield')} and the price of the asset ${of('price')}.`,
      (largest?.size ?? 0) > 0 ? plain(`The main driver was ${largest?.driver}.`) : null,
    ]),
  );
}

export const standing = ({ writer }: Topic): Phrase | null =>
  either(
    writer.phrase`TVL is ${writer.figure('overview.tvl_usd')}, that is ${writer.figure('overview.tvl_asset')}.`,
    writer.phrase`TVL is ${writer.figure('overview.tvl_asset')}; the asset has no price in dollars.`,
  );

function split(topic: Topic): Phrase {
  const [week, month] = [growth(topic, 'd7'), growth(topic, 'd30')];
  const written = together([week, month]);
  return written.text === ''
    ? missing(topic, 'performance.tvl_change_split.d7.total', 'The split of the TVL change')
    : written;
}

/** The performance of a vault. */
export const aboutPerformance = (topic: Topic): Phrase =>
  together([
    pace(topic),
    trend(topic),
    returns(topic),
    topic.writer
      .phrase`The return above the benchmark over 30 days is ${topic.writer.figure('performance.excess_return')}.`,
    standing(topic),
    split(topic),
    isPriceSound(topic) ? null : plain('Read these figures with the state of the price in mind.'),
    isPriceSound(topic) ? null : together([stateOf(topic), pauseOf(topic), latenessOf(topic)]),
  ]);
