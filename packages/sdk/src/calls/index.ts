export { changes } from './changes.ts';
export { type Check, type CheckedCall, checkCall, checkDescribed, checkSteps } from './check-call.ts';
export { checkPackage, safeHashes, timelockSignatures } from './check-package.ts';
export type { Asked, Intent, Place } from './expected.ts';
export {
  type ArgValue,
  argOf,
  type Decoded,
  type DecodedArg,
  decodeKnownCall,
  type KnownFunction,
  knownSignatures,
} from './known-calls.ts';
export { intentOf, prepareChange } from './prepare-change.ts';
export { type ReviewedCall, refusalsOf, reviewChange } from './review.ts';
export {
  CallFailed,
  CallRefused,
  type FollowOptions,
  followCall,
  type Progress,
  type SendingWallet,
  sendChange,
} from './send-change.ts';
