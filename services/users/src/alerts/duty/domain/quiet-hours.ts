import { type AlertSeverity, alertSeverities, type QuietHours } from '@castellan/contracts';
import { timeOfDay, wallOf } from './wall-clock.ts';

const DAY_MS = 86_400_000;

/** Whether a channel is quiet; `from` is in the quiet hours and `to` is not. */
export function isQuiet({ time_zone, from, to }: QuietHours, now: Date): boolean {
  const time = wallOf(now, time_zone) % DAY_MS;
  const [begin, end] = [timeOfDay(from), timeOfDay(to)];
  return begin < end ? time >= begin && time < end : time >= begin || time < end;
}

/** Worse is less. */
export const rankOf = (severity: AlertSeverity): number => alertSeverities.indexOf(severity);

/** Whether what happened can wait until the quiet hours are over. */
export const canWait = (quiet: QuietHours | null | undefined, severity: AlertSeverity, now: Date): boolean =>
  quiet != null && rankOf(severity) > rankOf(quiet.breaks_through) && isQuiet(quiet, now);
