import type { MandateDocument, MandatePromise } from '@castellan/contracts';
import type { Tone } from '../design/pill.tsx';
import { shortHex } from '../format/address.ts';
import { formatBpsShare, formatCount, formatCounted } from '../format/figures.ts';
import { formatDuration } from '../format/time.ts';
import type { Status } from './queries.ts';

type Promised = Status['promises'][number];

export const stateWords: Readonly<Record<Promised['state'], { word: string; tone: Tone }>> = {
  held: { word: 'Held', tone: 'ok' },
  warned: { word: 'Near its limit', tone: 'warn' },
  broken: { word: 'Broken', tone: 'critical' },
  unknown: { word: 'Not known', tone: 'plain' },
};

/** A value or limit of a promise in its unit. */
export function valueText(unit: Promised['unit'], value: number): string {
  if (unit === 'bps') return formatBpsShare(value);
  if (unit === 'seconds') return formatDuration(value);
  if (unit === 'updates') return formatCounted(value, 'update');
  return formatCount(value);
}

const atMost = ({ at_most_bps }: { at_most_bps: number }): string => `at most ${formatBpsShare(at_most_bps)}`;
const list = (addresses: readonly string[]): string =>
  addresses.length === 0 ? 'nobody' : addresses.map(shortHex).join(', ');

/** What is promised, as a sentence without its end. */
export function promiseWords(promise: MandatePromise): string {
  switch (promise.kind) {
    case 'source_share':
      return promise.source === undefined
        ? `Each source: ${atMost(promise)} of the assets`
        : `Source ${shortHex(promise.source)}: ${atMost(promise)} of the assets`;
    case 'layer_share':
      return `${promise.name} (${promise.layer}, ${formatCounted(promise.sources.length, 'source')}): ${atMost(promise)} of the assets`;
    case 'idle_share':
      return `Idle: at least ${formatBpsShare(promise.at_least_bps)} of the assets`;
    case 'drawdown':
      return `Drawdown: ${atMost(promise)} below the highest price`;
    case 'largest_holder':
      return `Largest holder: ${atMost(promise)} of the shares`;
    case 'performance_fee':
      return `Performance fee: ${atMost(promise)}`;
    case 'entry_fee':
      return `Entry fee: ${atMost(promise)}`;
    case 'price_age':
      return `Price: at most ${formatDuration(promise.at_most_seconds)} old`;
    case 'price_updates':
      return `Price: at least ${formatCounted(promise.at_least, 'update')} in ${formatDuration(promise.in_seconds)}`;
    case 'hooks':
      return promise.allowed.length === 0 ? 'No hook is executed' : `Hooks executed: only ${list(promise.allowed)}`;
    case 'managers':
      return `${promise.role === 'primary_manager' ? 'Primary manager' : 'Secondary managers'}: only ${list(promise.allowed)}`;
  }
}

const onBreach = ({ on_breach }: MandatePromise): string =>
  on_breach === 'refuse' ? ' (refuses calls that break it)' : '';

/** One difference between two documents; null where it is not in one of them. */
export type Difference = { id: string; before: string | null; after: string | null };

function linesOf(document: MandateDocument): Map<string, string> {
  return new Map([
    ['Title', document.title],
    ['Readers', document.public ? 'Everybody' : 'People with a role on the vault'],
    ['Warned from', `${formatBpsShare(document.warn_at_bps)} of a limit`],
    ...document.promises.map((promise) => [promise.id, `${promiseWords(promise)}${onBreach(promise)}`] as const),
  ]);
}

/** What is different in one document from another; all of it without the other. */
export function differences(before: MandateDocument | undefined, after: MandateDocument): Difference[] {
  const was = before ? linesOf(before) : new Map<string, string>();
  const is = linesOf(after);
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => {
    const pair = { id, before: was.get(id) ?? null, after: is.get(id) ?? null };
    return pair.before === pair.after ? [] : [pair];
  });
}
