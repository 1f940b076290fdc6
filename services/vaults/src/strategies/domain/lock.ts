import type { StrategyDocument } from './strategy.ts';

/** The emergency exit that has taken what a strategy works on; undefined when none runs. */
export const lockOf = (
  document: StrategyDocument,
  running: readonly StrategyDocument[],
): StrategyDocument | undefined =>
  document.kind === 'USER_DEFINED'
    ? running.find(
        ({ kind, target }) =>
          kind === 'EMERGENCY_EXIT' &&
          (target === document.target || target === document.definition.action_config.from_address?.toLowerCase()),
      )
    : undefined;
