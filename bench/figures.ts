import { appendFileSync } from 'node:fs';

/** One measured figure. Those in `per s` and `streams` are better when larger, all others when smaller. */
export type Figure = {
  /** Unique in its benchmark. */
  readonly name: string;
  readonly unit:
    | 'ms'
    | 'µs'
    | 's'
    | 'per s'
    | '% of a core'
    | 'MB'
    | 'kB'
    | 'MB an hour'
    | 'calls a second'
    | 'ratio'
    | 'streams'
    | 'streams lost';
  readonly value: number;
  /** The same measured of what it is held against, in the same run: what is compared between runs is the ratio to it. */
  readonly baseline?: number | undefined;
  readonly goal?: number | undefined;
};

/** Hands a figure to `npm run bench`, by the file that it names in `BENCH_FIGURES`; without that variable there is nobody to hand it to. */
export function recordFigure(figure: Figure): void {
  const { BENCH_FIGURES: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}
