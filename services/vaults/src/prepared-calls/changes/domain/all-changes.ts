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
import { feeChanges } from './kinds/fees.ts';
import { hookChanges } from './kinds/hooks.ts';
import { managerChanges } from './kinds/managers.ts';
import { pauseChanges } from './kinds/pause.ts';
import { positionChanges } from './kinds/position.ts';
import { ppsChanges } from './kinds/pps.ts';
import { redemptionChanges } from './kinds/redemptions.ts';
import { upkeepChanges } from './kinds/upkeep.ts';
import { yieldSourceChanges } from './kinds/yield-sources.ts';

/** How each kind of change is prepared; a kind without an entry does not compile. */
export const catalogue: ChangesOf<PreparedKind> = {
  ...managerChanges,
  ...feeChanges,
  ...ppsChanges,
  ...upkeepChanges,
  ...pauseChanges,
  ...yieldSourceChanges,
  ...hookChanges,
  ...redemptionChanges,
  ...positionChanges,
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
