import { clsx } from 'clsx';
import { CircleCheck, CircleDashed, CircleX } from 'lucide-react';
import { formatUtc } from '../format/time.ts';
import { isOver, type Prepared, type State, stateWords } from './call-states.ts';

type Entry = Prepared['history'][number];
export type Stop = { state: State; entry: Entry | undefined; look: 'done' | 'now' | 'later' | 'failed' };

const road: readonly State[] = ['prepared', 'broadcast', 'mined', 'confirmed', 'verified'];
const failures: readonly State[] = ['failed_post_condition', 'reverted', 'replaced', 'expired'];

/**
 * The way of a call: where it was, is and may still come. What ended it badly stands in the place of what never came. A
 * reorg takes it back, so only the last time of each state counts, and no state after the present one.
 */
export function stopsOf({ status, history }: Pick<Prepared, 'status' | 'history'>): Stop[] {
  const entryOf = (state: State) => history.findLast((entry) => entry.state === state);
  if (failures.includes(status)) {
    const reached = road.filter((state) => entryOf(state) !== undefined && state !== 'verified');
    return [
      ...reached.map((state): Stop => ({ state, entry: entryOf(state), look: 'done' })),
      { state: status, entry: entryOf(status), look: 'failed' },
    ];
  }
  const at = road.indexOf(status);
  return road.map((state, index): Stop => {
    if (index > at) return { state, entry: undefined, look: 'later' };
    return { state, entry: entryOf(state), look: index < at || isOver(status) ? 'done' : 'now' };
  });
}

const looks = { done: 'text-accent', now: 'text-text', later: 'text-muted', failed: 'text-danger' } as const;
const icons = { done: CircleCheck, now: CircleDashed, later: CircleDashed, failed: CircleX } as const;
const spoken = { done: 'done', now: 'now', later: 'not yet', failed: 'ended here' } as const;

export function Lifecycle({ call }: { call: Prepared }) {
  return (
    <ol aria-label="What became of it" className="flex flex-col gap-3 sm:flex-row sm:flex-wrap sm:gap-6">
      {stopsOf(call).map(({ state, entry, look }) => {
        const Icon = icons[look];
        return (
          <li key={state} className={clsx('flex items-start gap-2', looks[look])}>
            <Icon size={16} aria-hidden="true" className="mt-0.5 shrink-0" />
            <span className="flex flex-col">
              <span className="text-13 font-medium">
                {stateWords[state].word}
                <span className="sr-only">{`, ${spoken[look]}`}</span>
              </span>
              {entry === undefined ? null : (
                <span className="text-12 text-muted">
                  <time dateTime={entry.t}>{formatUtc(entry.t)}</time>
                  {entry.block_number === null ? null : <span className="block">{`Block ${entry.block_number}`}</span>}
                </span>
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
