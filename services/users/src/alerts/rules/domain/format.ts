/** `2026-01-01 00:00 UTC`. */
export const formatTime = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The two largest units: `2 d 3 h`. */
export function formatDuration(seconds: number): string {
  const units = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor((seconds % 86_400) / 3_600)],
    ['min', Math.floor((seconds % 3_600) / 60)],
  ] as const;
  const first = units.findIndex(([, count]) => count > 0);
  if (first < 0) return `${Math.max(0, Math.floor(seconds))} s`;
  return units
    .slice(first, first + 2)
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => `${count} ${unit}`)
    .join(' ');
}

/** Base units of an 18-decimal coin to four places, rounded down. */
export function formatWei(wei: string): string {
  const tenThousandths = BigInt(wei) / 10n ** 14n;
  return `${tenThousandths / 10_000n}.${`${tenThousandths % 10_000n}`.padStart(4, '0')}`;
}
