import { formatAgo, formatUtc } from '../format/time.ts';

/** A time as its age at the moment of the answer; the exact UTC time on hover and for a screen reader. */
export function When({ at, asOf }: { at: string; asOf: string }) {
  return (
    <time dateTime={at} title={formatUtc(at)} className="whitespace-nowrap tabular-nums">
      {formatAgo((Date.parse(asOf) - Date.parse(at)) / 1_000)}
      <span className="sr-only">{`, ${formatUtc(at)}`}</span>
    </time>
  );
}
