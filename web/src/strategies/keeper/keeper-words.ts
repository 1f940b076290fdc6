import type { Tone } from '../../design/pill.tsx';
import type { Run, Totals } from './use-keeper.ts';

export const kindWords: Readonly<Record<Run['kind'], string>> = {
  intent: 'Strategies',
  fulfil: 'Redemptions paid',
  fulfil_cancels: 'Requests given back',
};

export const resultWords: Readonly<Record<Run['result'], { tone: Tone; word: string }>> = {
  done: { tone: 'ok', word: 'Done' },
  failed: { tone: 'critical', word: 'Failed' },
  stopped: { tone: 'plain', word: 'Stopped' },
};

/** What a run or a refusal was for. */
export const subjectWords = ({
  strategy_id,
  strategy_name,
}: {
  strategy_id: string | null;
  strategy_name: string | null;
}) => (strategy_id === null ? 'Redemptions' : (strategy_name ?? strategy_id));

/** Of all that came to an end by itself: what a person or a crash stopped counts neither way. */
export function successOf(totals: readonly Totals[]): { done: number; n: number; share: number | null } {
  const done = totals.reduce((sum, each) => sum + each.done, 0);
  const n = done + totals.reduce((sum, { failed }) => sum + failed, 0);
  return { done, n, share: n === 0 ? null : done / n };
}
