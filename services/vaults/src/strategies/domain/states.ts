import type { StrategyState } from '@castellan/contracts';

type Kind = 'USER_DEFINED' | 'EMERGENCY_EXIT';

/** Where a strategy may go from each state. An archived one stays so; an emergency exit is never archived. */
const next: Readonly<Record<StrategyState, readonly StrategyState[]>> = {
  CREATED: ['IDLE', 'RUNNING', 'ARCHIVED'],
  IDLE: ['RUNNING', 'ARCHIVED'],
  RUNNING: ['IDLE', 'ERROR', 'ARCHIVED'],
  ERROR: ['IDLE', 'ARCHIVED'],
  ARCHIVED: [],
};

/** Whether a strategy of this kind may go from one state to another. */
export const mayChange = (kind: Kind, from: StrategyState, to: StrategyState): boolean =>
  next[from].includes(to) && !(kind === 'EMERGENCY_EXIT' && to === 'ARCHIVED');

/** The states a strategy may go to, for the message of a refusal. */
export const nextStates = (kind: Kind, from: StrategyState): StrategyState[] =>
  next[from].filter((to) => mayChange(kind, from, to));
