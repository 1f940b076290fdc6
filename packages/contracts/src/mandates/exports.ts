export {
  type AttestationKey,
  AttestationKeySet,
  GetAttestationKeys,
  GetMandateAttestation,
  MandateAttestation,
  SignedAttestation,
  Verdict,
  verdicts,
} from './attestations.ts';
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
export { canonicalJson, mandateHash, mandateSigner, mandateTypedData } from './signing.ts';
export {
  GetMandateStatus,
  ListMandateBreaches,
  MandateBreach,
  PromiseBreach,
  PromiseState,
  PromiseStatus,
  PromiseTally,
  promiseKinds,
  promiseStates,
} from './status.ts';
