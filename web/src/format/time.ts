const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** A duration in its two largest units: "23 h 35 m", "4 m 12 s", "9 s". Never negative. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const first = units.findIndex(([, size]) => whole >= size);
  if (first === -1) return '0 s';
  const parts: string[] = [];
  let rest = whole;
  for (const [name, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(' ');
}

/** How long ago, in words of the screen: "just now", "8 s ago". */
export const formatAgo = (seconds: number): string => (seconds < 2 ? 'just now' : `${formatDuration(seconds)} ago`);

const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** An instant in UTC, for reading. */
export const formatUtc = (iso: string): string => `${utc.format(new Date(iso))} UTC`;
