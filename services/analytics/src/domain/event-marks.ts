import { eventMarkKinds } from '@castellan/contracts';
import type { Marker } from './history.ts';
import type { Activity, TransactionType } from './ledgers/activity-ledger.ts';
import type { Moment } from './moment.ts';
import { bucketWidth, type Range, windowStart } from './range.ts';
import { countUntil, type Dated, within } from './timeline.ts';

/** What a moment can be marked by. */
export type EventMarkKind = (typeof eventMarkKinds)[number];
/** Something that happened, with its name in the ABI. */
export type EventMark = Dated & { readonly kind: EventMarkKind; readonly event: string; readonly tx: string };

const ofActivities: Readonly<Partial<Record<TransactionType, EventMarkKind>>> = {
  deposit: 'deposit',
  redeem_request: 'redemption',
  redeem_fulfilled: 'redemption',
  redeem_claim: 'redemption',
  cancel_request: 'redemption',
  cancel_fulfilled: 'redemption',
  cancel_claim: 'redemption',
  skim: 'fee',
  pause: 'pause',
  unpause: 'pause',
  role: 'role',
  settings: 'setting',
};

/** Only what is no activity too. */
const ofMarkers: Readonly<Partial<Record<Marker['kind'], EventMarkKind>>> = {
  check_failed: 'guard',
  stale: 'guard',
  hwm_reset: 'fee',
};

const named = (kind: EventMarkKind | undefined, { block, time, event, tx }: Dated & { event: string; tx: string }) =>
  kind === undefined ? [] : [{ block, time, kind, event, tx }];

/** Of one kind, oldest first: the last of each bucket. */
function lastOfEach(list: readonly EventMark[], width: number): EventMark[] {
  const kept: EventMark[] = [];
  for (let at = 0; at < list.length; ) {
    const bucketEnd = (Math.floor((list[at] as EventMark).time / width) + 1) * width;
    at = countUntil(list, ({ time }) => time, bucketEnd - 1);
    kept.push(list[at - 1] as EventMark);
  }
  return kept;
}

/**
 * What happened in a range, of these kinds or of all, oldest first, at most `most` of them: of more each kind keeps the last of each
 * bucket, so that a rare change is not lost among deposits. Width 0: all of them are there.
 */
export function eventMarks(
  { history, block }: Moment,
  range: Range,
  most: number,
  wanted: readonly EventMarkKind[] = eventMarkKinds,
): { width: number; all: readonly EventMark[]; marks: readonly EventMark[] } {
  const of = <T extends Dated>(list: readonly T[]) => within(list, windowStart(range), range.to, block);
  const isAsked = ({ kind }: { kind: EventMarkKind }) => wanted.includes(kind);
  const types = (Object.entries(ofActivities) as [TransactionType, EventMarkKind][])
    .map(([type, kind]) => ({ type, kind }))
    .filter(isAsked);
  const found: EventMark[] = [
    ...types.flatMap(({ type, kind }) =>
      of<Activity>(history.activities.list({ type })).flatMap((item) => named(kind, item)),
    ),
    ...of(history.markers)
      .flatMap((marker) => named(ofMarkers[marker.kind], marker))
      .filter(isAsked),
  ].sort((a, b) => a.block - b.block);
  if (found.length <= most) return { width: 0, all: found, marks: found };
  const kinds = [...Map.groupBy(found, ({ kind }) => kind).values()];
  const width = bucketWidth(range, Math.max(1, Math.floor(most / kinds.length)));
  const marks = kinds.flatMap((list) => lastOfEach(list, width)).sort((a, b) => a.block - b.block);
  return { width, all: found, marks: marks.slice(-most) };
}
