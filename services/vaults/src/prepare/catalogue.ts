import type { PreparedKind } from '@castellan/contracts';
import type {
  ChangeRequest,
  ChangeState,
  ChangeStep,
  ChangesOf,
  ChangeTarget,
  KeptStep,
  PostCondition,
} from './change.ts';
import { feeChanges } from './changes/fees.ts';
import { hookChanges } from './changes/hooks.ts';
import { managerChanges } from './changes/managers.ts';
import { pauseChanges } from './changes/pause.ts';
import { ppsChanges } from './changes/pps.ts';
import { upkeepChanges } from './changes/upkeep.ts';
import { yieldSourceChanges } from './changes/yield-sources.ts';

/** How each kind of change is prepared; a kind without an entry does not compile. */
export const catalogue: ChangesOf<PreparedKind> = {
  ...managerChanges,
  ...feeChanges,
  ...ppsChanges,
  ...upkeepChanges,
  ...pauseChanges,
  ...yieldSourceChanges,
  ...hookChanges,
};

/** The transactions that a change takes. */
export function stepsOf<K extends PreparedKind>(
  request: ChangeRequest<K>,
  target: ChangeTarget,
  state: ChangeState,
): ChangeStep[] {
  const change: ChangesOf<PreparedKind>[K] = catalogue[request.kind];
  return change.steps(request, target, state);
}

/** What the chain must say after a step, from what is kept of it: the state it was prepared in is not needed any more. */
export function postConditionOf<K extends PreparedKind>(kept: KeptStep<K>): PostCondition {
  const change: ChangesOf<PreparedKind>[K] = catalogue[kept.request.kind];
  return change.postCondition(kept);
}
