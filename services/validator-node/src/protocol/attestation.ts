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

/** By entry of a report, whether as many of these signatures cover it as make it the word of the network. */
export function agreedEntries(
  { plugin, quorums }: Pick<Instance, 'plugin' | 'quorums'>,
  report: Uint8Array,
  signatures: readonly Pick<ReportSignature, 'signature'>[],
): boolean[] {
  const counts: number[] = [];
  for (const { signature } of signatures)
    for (const [entry, isSigned] of plugin.signedEntries(report, signature).entries())
      counts[entry] = (counts[entry] ?? 0) + (isSigned ? 1 : 0);
  return counts.map((count) => count >= quorums.signatures);
}

/**
 * A final is valid when a quorum stands behind the report and behind one of its entries at least, and with the observers the rules ask
 * for.
 */
export async function verifyFinal(instance: Instance, final: Final | FinalEcho): Promise<boolean> {
  const { quorums, config } = instance;
  if (final.round > config.timing.rMax) return false;
  if (final.signatures.length < quorums.signatures || final.observers.length < quorums.observations) return false;
  if (!agreedEntries(instance, final.report, final.signatures).includes(true)) return false;
  for (const signature of final.signatures)
    if (!(await verifyReportSignature(instance, final, signature))) return false;
  return true;
}
