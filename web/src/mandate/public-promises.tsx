import { AttestationBar } from '../report/attestation-bar.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { BreachesCard } from './breaches-card.tsx';
import { PromisesCard } from './promises-card.tsx';

/** What a vault promises on its public page, what it broke, and the proof of both. */
export function PublicPromises({ shown }: { shown: Shown }) {
  return (
    <>
      <PromisesCard shown={shown} heading="What the vault promises" />
      <BreachesCard shown={shown} />
      <AttestationBar vault={shown.vault} />
    </>
  );
}
