export { MandateDocument, type MandatePromise } from './document.ts';
export {
  AcknowledgeMandateBreach,
  BacktestMandate,
  DraftMandate,
  EnforceMandate,
  GetMandate,
  JudgeMandate,
  ListMandateVersions,
  MandateVersion,
} from './mandates.ts';
export { mandateHash, mandateSigner, mandateTypedData } from './signing.ts';
export {
  GetMandateStatus,
  ListMandateBreaches,
  MandateBreach,
  PromiseBreach,
  PromiseState,
  PromiseStatus,
  promiseKinds,
  promiseStates,
} from './status.ts';
