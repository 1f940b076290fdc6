/** Transactions since a moment. */
export type Hour = { readonly since: string; readonly count: number };

const HOUR_MS = 3_600_000;

/** The hour with one transaction more; null when it has had its most. */
export function hourWithOneMore(hour: Hour | null, nowMs: number, most: number): Hour | null {
  if (!hour || nowMs - Date.parse(hour.since) >= HOUR_MS) return { since: new Date(nowMs).toISOString(), count: 1 };
  return hour.count < most ? { ...hour, count: hour.count + 1 } : null;
}
