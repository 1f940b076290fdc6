import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import type { Series, Unit } from '../../charts/types.ts';
import { compactTick, decimalsOfStep, partOfWhole } from '../../charts/units.ts';
import { formatBps, formatCount, formatDecimals, formatShare } from '../../format/figures.ts';
import { formatMilliseconds } from '../../format/time.ts';
import { GasCharts } from './gas-charts.tsx';
import { type Asked, bpsOf, type History, pointsOf, shareOf, sumKnown } from './history.ts';

const milliseconds: Unit = {
  name: 'ms',
  format: formatMilliseconds,
  tick: (value, step, most) => {
    const [one, name] = most >= 1_000 ? [1_000, 's'] : [1, 'ms'];
    return `${formatDecimals(value / one, decimalsOfStep(step / one))} ${name}`;
  },
};
const basisPoints: Unit = {
  name: 'bps',
  format: formatBps,
  tick: (...at) => [compactTick(...at), 'bps'].join(' '),
};
const count: Unit = { name: 'count', format: formatCount, tick: compactTick, isWhole: true };

const empty = {
  title: 'Nothing was recorded in this window',
  detail: 'Rounds are added up from the first one that a node reports.',
};

type Props = { history: History; asked: Asked };

const sum = (history: History, read: (bucket: History['buckets'][number]) => number): number =>
  history.buckets.reduce((total, bucket) => total + read(bucket), 0);

function participation(history: History): string {
  const part = shareOf(
    sum(history, ({ observed }) => observed),
    sum(history, ({ possible }) => possible),
  );
  return part === null ? 'No round was recorded' : `${formatShare(part)} of all observations were made`;
}

function missed({ buckets }: History, isOfVault: boolean): string {
  const late = sumKnown(buckets.map((bucket) => bucket.late));
  const lost = sumKnown(buckets.map((bucket) => bucket.lost));
  const rounds = formatCount(sumKnown(buckets.map((bucket) => bucket.rounds)) ?? 0);
  const lateWords =
    late === null
      ? 'how many observations came too late is not known for all of this window'
      : `${formatCount(late)} ${late === 1 ? 'observation' : 'observations'} came too late`;
  return isOfVault || lost === null
    ? `${rounds} rounds priced this vault, ${lateWords}; which rounds never ended is not known for one vault`
    : `${rounds} rounds ended, ${formatCount(lost)} never did, ${lateWords}`;
}

function most(history: History, read: (bucket: History['buckets'][number]) => number | null): number | null {
  const values = history.buckets.map(read).filter((value) => value !== null);
  return values.length === 0 ? null : Math.max(...values);
}

const line = (id: string, name: string, points: Series['points'], colour: Series['colour']): Series => ({
  id,
  name,
  kind: 'line',
  points,
  ...(colour === undefined ? {} : { colour }),
});

/** How the network did over time, each with the same data as a table. */
export function HistoryCharts({ history, asked }: Props) {
  const isOfVault = asked.vault !== '';
  const drawn = useMemo(() => seriesOf(history, isOfVault), [history, isOfVault]);
  const slowest = most(history, ({ round_ms }) => round_ms?.max ?? null);
  const widest = most(history, ({ spread_ppb }) => spread_ppb?.max ?? null);
  const common = { group: 'validators', intervalSeconds: history.bucket_seconds, empty, height: 220 };
  return (
    <div className="grid gap-4 lg:grid-cols-2 lg:[&>*:last-child:nth-child(odd)]:col-span-2">
      <Chart
        {...common}
        title="Participation"
        takeaway={participation(history)}
        series={drawn.participation}
        unit={partOfWhole}
        fileName="validators-participation"
      />
      <Chart
        {...common}
        title="Rounds missed and late"
        takeaway={missed(history, isOfVault)}
        series={drawn.missed}
        unit={count}
        isFromZero
        fileName="validators-missed"
      />
      <Chart
        {...common}
        title="Time of a round"
        takeaway={
          slowest === null ? 'No beginning of a round was recorded' : `The slowest took ${formatMilliseconds(slowest)}`
        }
        series={drawn.latency}
        unit={milliseconds}
        isFromZero
        fileName="validators-latency"
      />
      <Chart
        {...common}
        title="Spread of what was observed"
        takeaway={
          widest === null
            ? 'What each node observed was not recorded'
            : `At most ${formatBps(bpsOf(widest))} of the agreed price between two nodes`
        }
        series={drawn.spread}
        unit={basisPoints}
        isFromZero
        fileName="validators-spread"
      />
      <GasCharts history={history} asked={asked} common={common} />
    </div>
  );
}

const seriesOf = (history: History, isOfVault: boolean) => ({
  participation: [
    line(
      'observed',
      'Observed',
      pointsOf(history, ({ observed, possible }) => shareOf(observed, possible)),
      1,
    ),
  ],
  missed: [
    bar(
      'missed',
      'Observations missing',
      pointsOf(history, ({ observed, possible }) => possible - observed),
      2,
    ),
    bar(
      'late',
      'Too late',
      pointsOf(history, ({ late }) => late),
      5,
    ),
    bar(
      'lost',
      isOfVault ? 'Rounds that never ended (not known for one vault)' : 'Rounds that never ended',
      pointsOf(history, ({ lost }) => lost),
      'danger',
    ),
  ],
  latency: [
    line(
      'mean',
      'Round, mean',
      pointsOf(history, ({ round_ms }) => round_ms?.mean ?? null),
      1,
    ),
    line(
      'max',
      'Round, longest',
      pointsOf(history, ({ round_ms }) => round_ms?.max ?? null),
      5,
    ),
    line(
      'lag',
      'A node behind the first, mean',
      pointsOf(history, ({ lag_ms }) => lag_ms?.mean ?? null),
      3,
    ),
  ],
  spread: [
    line(
      'mean',
      'Mean',
      pointsOf(history, ({ spread_ppb }) => (spread_ppb ? bpsOf(spread_ppb.mean) : null)),
      1,
    ),
    line(
      'max',
      'Widest',
      pointsOf(history, ({ spread_ppb }) => (spread_ppb ? bpsOf(spread_ppb.max) : null)),
      5,
    ),
  ],
});

const bar = (id: string, name: string, points: Series['points'], colour: NonNullable<Series['colour']>): Series => ({
  id,
  name,
  kind: 'bar',
  points,
  colour,
  stack: 'rounds',
});
