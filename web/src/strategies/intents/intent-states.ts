import type { Api } from '../../client/api.ts';
import type { Tone } from '../../design/pill.tsx';
import { formatUtc } from '../../format/time.ts';

export type Intent = Awaited<ReturnType<Api['listIntents']>>['intents'][number];
export type IntentState = Intent['state'];
export type IntentEvent = Awaited<ReturnType<Api['intentEvents']>>['events'][number];
export type Fill = Awaited<ReturnType<Api['intentFills']>>['fills'][number];
export type Facets = Awaited<ReturnType<Api['intentFacets']>>;

export const intentStates: Readonly<Record<IntentState, { word: string; tone: Tone }>> = {
  RECEIVED: { word: 'Received', tone: 'info' },
  ACKED: { word: 'Accepted', tone: 'info' },
  STAGED: { word: 'Staged', tone: 'info' },
  PLANNED: { word: 'Planned', tone: 'info' },
  EXECUTING: { word: 'Executing', tone: 'info' },
  COMPLETED: { word: 'Completed', tone: 'ok' },
  ABORTED: { word: 'Aborted', tone: 'warn' },
  EXPIRED: { word: 'Expired', tone: 'warn' },
  FAILED: { word: 'Failed', tone: 'critical' },
  CANCELED: { word: 'Cancelled', tone: 'plain' },
};

export const way = ['RECEIVED', 'ACKED', 'STAGED', 'PLANNED', 'EXECUTING'] as const;
const eventOf = { ACKED: 'ACK', STAGED: 'STAGE', PLANNED: 'PLAN', EXECUTING: 'EXECUTE' } as const;

export type Step = {
  state: IntentState;
  /** Undefined: it was never there. Null: it was, at an unknown time. */
  at: string | null | undefined;
  isNow: boolean;
};

const isOver = ({ state }: Pick<Intent, 'state'>): boolean => !(way as readonly string[]).includes(state);

/** The way of an intent from the signal to its end, with when it came to each step. */
export function stepsOf(intent: Intent, events: readonly IntentEvent[]): Step[] {
  const times: Partial<Record<IntentState, string | null>> = {
    RECEIVED: intent.created_at,
    ACKED: intent.acked_at,
    EXECUTING: intent.executing_at,
  };
  const timeOf = (state: (typeof way)[number]) =>
    times[state] ??
    (state === 'RECEIVED' ? undefined : events.find(({ message_type }) => message_type === eventOf[state])?.created_at);
  const reached = way.map(timeOf);
  const last = isOver(intent)
    ? reached.findLastIndex((at) => at !== undefined)
    : way.indexOf(intent.state as (typeof way)[number]);
  const steps = way.map(
    (state, index): Step => ({
      state,
      at: index <= last ? (reached[index] ?? null) : undefined,
      isNow: intent.state === state,
    }),
  );
  const end: Step = isOver(intent)
    ? { state: intent.state, at: intent.terminal_at, isNow: true }
    : { state: 'COMPLETED', at: undefined, isNow: false };
  return [...steps, end];
}

/** A time with its seconds: steps of one intent are seconds apart. */
export const secondOf = (iso: string): string => `${formatUtc(iso).replace(/ UTC$/, '')}:${iso.slice(17, 19)} UTC`;
