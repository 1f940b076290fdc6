import type { Finding } from './run.ts';

/** A difference that was looked into: the product is at fault, or the definition leaves a choice. It is printed apart. */
export type Known = { read: RegExp; path: RegExp; why: string };

const any = /./;

/** An entry goes when its fault is mended: one that no finding belongs to is printed as not seen. */
export const known: readonly Known[] = [
  {
    read: /^operations\?/,
    path: /^upkeep\.(runway_seconds|empty_at|balance|cost_per_update|runway_worst_case_seconds)$/,
    why: 'runway is of the mean of 7 days, not of the last 24 hours; upkeep is null before the first observation though logs have it',
  },
  {
    read: /^(vault detail|public list)$/,
    path: /^upkeep_info\.runway_seconds$/,
    why: 'the runway of detail and list is of another mean than that of the last 24 hours',
  },
  { read: /^risk\?/, path: /^components\.7\.value$/, why: 'the runway of the score is of the mean of 7 days' },
  {
    read: /^fees\?/,
    path: /^pending$/,
    why: 'the pending fee is null before the first observation though it follows from logs',
  },
  { read: any, path: /^quality of /, why: 'nulls without an entry in quality' },
  { read: /^risk\?/, path: /^floors\.length$/, why: 'no floor for a primary manager that is a key' },
  {
    read: /^risk\/run\?/,
    path: /^demand(_share)?$/,
    why: 'demand is 0 before the first observation though holders follow from logs',
  },
  {
    read: /^risk\?/,
    path: /^formula of components\.8\.value$/,
    why: 'the figure is of the divergence cut to four digits, the printed formula is not',
  },
];

export const knownOf = ({ read, path }: Pick<Finding, 'read' | 'path'>): Known | undefined =>
  known.find((entry) => entry.read.test(read) && entry.path.test(path));
