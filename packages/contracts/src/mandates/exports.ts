export { MandateDocument, type MandatePromise, promiseKinds } from './document.ts';
export {
  AcknowledgeMandateBreach,
  BacktestMandate,
  DraftMandate,
  EnforceMandate,
  GetMandate,
  GetMandateStatus,
  JudgeMandate,
  ListMandateBreaches,
  ListMandateVersions,
  MandateBreach,
  MandateVersion,
  PromiseBreach,
  PromiseState,
  PromiseStatus,
  promiseStates,
} from './mandates.ts';
export { mandateHash, mandateSigner, mandateTypedData } from './signing.ts';
