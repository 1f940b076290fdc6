import type { Instance } from './instance.ts';
import type { Final, FinalEcho, ReportSignature } from './messages.ts';
import { attestationMessage } from './signing.ts';

type Outcome = Pick<Final, 'epoch' | 'round' | 'inputs' | 'observers' | 'report'>;

/** Whether this oracle stands behind this outcome, to the contract and to the other oracles. */
export async function verifyReportSignature(
  { config, plugin, verifySigned }: Instance,
  outcome: Outcome,
  { signer, signature, attestation }: ReportSignature,
): Promise<boolean> {
  const message = attestationMessage({ ...outcome, digest: config.digest }, outcome);
  return verifySigned(signer, message, attestation) && (await plugin.verify(outcome.report, signature, signer));
}

/** A final is valid with exactly the quorum of signatures, and with the observers the rules ask for. */
export async function verifyFinal(instance: Instance, final: Final | FinalEcho): Promise<boolean> {
  const { quorums, config } = instance;
  if (final.round > config.timing.rMax) return false;
  if (final.signatures.length !== quorums.signatures || final.observers.length < quorums.observations) return false;
  for (const signature of final.signatures)
    if (!(await verifyReportSignature(instance, final, signature))) return false;
  return true;
}
