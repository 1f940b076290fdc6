import type { AnalyticsResult } from '../../data/use-analytics.ts';

export type Bridge = AnalyticsResult<'analyticsUsers'>['bridge']['d7'];

export type BridgeStep = {
  id: keyof Bridge;
  label: string;
  /** With its sign: what this step adds to the holders. */
  change: number;
  /** Holders before and after, between which the bar of the step stands. */
  from: number;
  to: number;
  kind: 'level' | 'gain' | 'loss';
};

/** The holders at both ends of a window and what lies between, each step standing on the one before. */
export function bridgeSteps(bridge: Bridge, words: { start: string; end: string }): BridgeStep[] {
  const { start, new_kept: fresh, reactivated, churned, end } = bridge;
  const withNew = start + fresh;
  const withBack = withNew + reactivated;
  return [
    { id: 'start', label: words.start, change: start, from: 0, to: start, kind: 'level' },
    { id: 'new_kept', label: 'New and still here', change: fresh, from: start, to: withNew, kind: 'gain' },
    { id: 'reactivated', label: 'Came back', change: reactivated, from: withNew, to: withBack, kind: 'gain' },
    { id: 'churned', label: 'Left', change: -churned, from: withBack - churned, to: withBack, kind: 'loss' },
    { id: 'end', label: words.end, change: end, from: 0, to: end, kind: 'level' },
  ];
}

/** What is missing for start + new + reactivated - churned = end; 0 when it reconciles. */
export const bridgeGap = ({ start, new_kept, reactivated, churned, end }: Bridge): number =>
  end - (start + new_kept + reactivated - churned);
