export { type DepositorKind, isDepositorKind } from './depositor-kinds.ts';
export {
  type ManagerKind,
  managerKinds,
  type PreparedArgs,
  type PreparedKind,
  preparedArgs,
  preparedKinds,
  Reason,
} from './kinds.ts';
export { VaultInBody } from './prepare-route.ts';
export {
  BroadcastPrepared,
  GetPrepared,
  ListPrepared,
  Precondition,
  PrepareChange,
  PreparedCall,
  PreparedChange,
  PreparedResource,
  PreparedState,
  PreparedSteps,
  preparedStates,
  SafePackage,
  Signer,
  TimelockPackage,
} from './prepared-call.ts';
export { YieldSourceInBody } from './routes.ts';
