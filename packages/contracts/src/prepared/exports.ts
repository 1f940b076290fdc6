export { type PreparedArgs, type PreparedKind, preparedArgs, preparedKinds, Reason } from './kinds.ts';
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
  preparedStates,
  SafePackage,
  Signer,
  TimelockPackage,
} from './prepared-call.ts';
