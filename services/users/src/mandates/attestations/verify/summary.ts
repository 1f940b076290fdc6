import type { MandateAttestation } from '@castellan/contracts';
import type { Verified } from './verify.ts';

type Mandate = MandateAttestation['mandates'][number];
type AttestedPromise = Mandate['promises'][number];

function promiseLine({ verdict, promise_id, bound, limit, unit, worst, states, breaches }: AttestedPromise): string {
  const seen = worst === null ? 'never read' : `worst ${worst.value} ${unit} at block ${worst.block_number}`;
  const open = breaches.filter(({ ended }) => ended === null).length;
  const acknowledged = breaches.filter(({ acknowledged_by }) => acknowledged_by !== null).length;
  const broken =
    breaches.length === 0
      ? ''
      : `, ${breaches.length} breaches (${acknowledged} acknowledged, ${open} open at the end)`;
  const unread = states.unknown === 0 ? '' : `, not read at ${states.unknown} observations`;
  return `    ${verdict.padEnd(9)} ${promise_id}: ${bound.replace('_', ' ')} ${limit} ${unit}, ${seen}${broken}${unread}`;
}

function mandateLines({ version, document_hash, signed_by, from, to, ...mandate }: Mandate): string[] {
  const { observations, first_observed: first, last_observed: last, promises } = mandate;
  const blocks = first && last ? `, blocks ${first.block_number} to ${last.block_number}` : '';
  return [
    `  version ${version} ${document_hash}, signed by ${signed_by}`,
    `    ${from} to ${to}: ${observations} observations${blocks}`,
    ...promises.map(promiseLine),
  ];
}

/** What a verified attestation says, line by line. */
export const summaryOf = ({ statement, kid }: Verified): string =>
  [
    `ok: ${statement.period} of vault ${statement.vault_address} on chain ${statement.chain_id}: ${statement.verdict}`,
    `  signed ${statement.issued_at} by the key ${kid}, formulas ${statement.formulas_version}`,
    ...statement.mandates.flatMap(mandateLines),
    '',
  ].join('\n');
