const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(timeZone, made);
  return made;
}

/** What a clock on the wall of a time zone shows, as milliseconds as if it were UTC: weeks and days of it have no summer time. */
export function wallOf(instant: Date, timeZone: string): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** When the clock on the wall shows that. Of an hour that is skipped it is the instant after, of one that comes twice the first. */
export function instantOf(wall: number, timeZone: string): Date {
  // Clocks are not changed twice within two days, so one of the offsets around it is the one that counts.
  const candidates = [-DAY_MS, DAY_MS].map(
    (aside) => wall - (wallOf(new Date(wall + aside), timeZone) - (wall + aside)),
  );
  const shown = candidates.filter((at) => wallOf(new Date(at), timeZone) === wall);
  return new Date(shown.length === 0 ? Math.max(...candidates) : Math.min(...shown));
}

/** `22:30` in milliseconds since midnight. */
export function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}
