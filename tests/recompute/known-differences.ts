import type { Finding } from './run.ts';

/** A difference that was looked into: the product is at fault, or the definition leaves a choice. It is printed apart. */
export type Known = {
  read: RegExp;
  path: RegExp;
  /** Only where the product answers null. */
  onlyNull?: true;
  why: string;
};

const quality = (paths: string): RegExp => new RegExp(`^quality of (${paths})$`);
const unexplained = (read: RegExp, paths: string): Known => ({
  read,
  path: quality(paths),
  why: `null without an entry in quality: ${paths.replaceAll('\\', '').replaceAll('|', ', ')}`,
});

/** An entry goes when its fault is mended: one that no finding belongs to is printed as not seen. */
export const known: readonly Known[] = [
  {
    read: /^operations\?/,
    path: /^upkeep\.(runway_seconds|empty_at)$/,
    why: 'the runway is of the mean of 7 days, not of the last 24 hours',
  },
  {
    read: /^operations\?/,
    path: /^upkeep\.(balance|cost_per_update|runway_worst_case_seconds)$/,
    why: 'upkeep is of the observation, not of the logs: null before the first, an update behind where a price came since',
  },
  {
    read: /^(vault detail|public list)$/,
    path: /^upkeep_info\.runway_seconds$/,
    why: 'the runway of detail and list is of another mean than that of the last 24 hours',
  },
  {
    read: /^pps\/what-if\?/,
    path: /^upkeep_after$/,
    why: 'upkeep is of the observation, an update behind the price where one came since',
  },
  {
    read: /^risk\?/,
    path: /^components\.8\.value$/,
    why: 'the divergence of the score is from the price at the observation, that of the price read from the last one',
  },
  { read: /^risk\?/, path: /^components\.7\.value$/, why: 'the runway of the score is of the mean of 7 days' },
  {
    read: /^fees\?/,
    path: /^pending$/,
    onlyNull: true,
    why: 'the pending fee is null before the first observation though it follows from logs',
  },
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
  unexplained(/^pps\?/, 'calculated|expiry'),
  unexplained(
    /^pps\/what-if\?/,
    'current_pps|next_pps|change_bps|accepted|would_pause|fee|next_net_pps|next_net_pps_exact|upkeep_after',
  ),
  unexplained(/^risk\?/, 'concentration\\.band'),
  unexplained(/^risk\/concentration\?/, 'band|largest'),
  unexplained(/^risk\/run\?/, 'paid_now|shortfall'),
  unexplained(
    /^operations\?/,
    'upkeep\\.balance|upkeep\\.cost_per_update|upkeep\\.empty_at|redemptions\\.oldest_seconds',
  ),
  unexplained(/^fees\?/, 'pending'),
];

export const knownOf = ({ read, path, actual }: Pick<Finding, 'read' | 'path' | 'actual'>): Known | undefined =>
  known.find((entry) => entry.read.test(read) && entry.path.test(path) && (!entry.onlyNull || actual === null));
