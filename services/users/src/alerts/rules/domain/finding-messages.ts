import { formatBps, formatDuration } from '../../journal/domain/format.ts';
import type { Runway } from './upkeep-runway.ts';

const paceWords = {
  last_24h: 'of the last 24 hours',
  since_interval_change: 'since the least interval changed',
  since_creation: 'since the vault was created',
} as const;

/** How long the upkeep lasts, and at which pace of price updates. */
export const runwayMessage = ({ seconds, basis }: Runway): string =>
  `At the pace ${paceWords[basis]} the upkeep balance lasts ${formatDuration(seconds)}.`;

/** How far the calculated price is from the current one, in basis points, against what the guard allows. */
export const deviationMessage = (divergence: number, guard: number): string =>
  `The calculated price is ${formatBps(Math.abs(divergence))} ${divergence < 0 ? 'below' : 'above'} the current one; ` +
  `the deviation guard allows ${formatBps(guard)}.`;

/** `3 redemptions have been waiting, the oldest for 2 d.` */
export const waitingRedemptionsMessage = (count: number, oldestSeconds: number): string =>
  count === 1
    ? `One redemption has been waiting for ${formatDuration(oldestSeconds)}.`
    : `${count} redemptions have been waiting, the oldest for ${formatDuration(oldestSeconds)}.`;
