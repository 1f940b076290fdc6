import type { Instance } from './instance.ts';
import type { Final, FinalEcho, ReportSignature } from './messages.ts';
import { attestationMessage } from './signing.ts';

type Outcome = Pick<Final, 'epoch' | 'round' | 'inputs' | 'observers' | 'report'>;

/** Whether this oracle stands behind this outcome, to the contract and to the other oracles. */
export async function verifyReportSignature(
  instance: Instance,
  outcome: Outcome,
  signed: ReportSignature,
): Promise<boolean> {
  if (!areAttested(instance, outcome, [signed])) return false;
  return instance.plugin.verify(outcome.report, signed.signature, signed.signer);
}

/** Whether all of these oracles stand behind this outcome, to the other oracles. */
function areAttested(
  { config, verifySigned }: Instance,
  outcome: Outcome,
  signatures: readonly ReportSignature[],
): boolean {
  const at = { ...outcome, digest: config.digest };
  return signatures.every(({ signer, signature, attestation }) =>
    verifySigned(signer, attestationMessage(at, outcome, signature), attestation),
  );
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
 * for. What is cheap comes first: a signature for the contract costs a millisecond for each entry, and only who brings the attestations of
 * a quorum has them looked at.
 */
export async function verifyFinal(instance: Instance, final: Final | FinalEcho): Promise<boolean> {
  const { quorums, config } = instance;
  if (final.round > config.timing.rMax) return false;
  if (final.signatures.length < quorums.signatures || final.observers.length < quorums.observations) return false;
  if (!areAttested(instance, final, final.signatures)) return false;
  if (!agreedEntries(instance, final.report, final.signatures).includes(true)) return false;
  for (const { signature, signer } of final.signatures)
    if (!(await instance.plugin.verify(final.report, signature, signer))) return false;
  return true;
}
