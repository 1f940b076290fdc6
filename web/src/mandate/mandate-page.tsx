import { AttestationBar } from '../report/attestation-bar.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { BreachesCard } from './breaches-card.tsx';
import { PromisesCard } from './promises-card.tsx';
import { VersionsCard } from './versions-card.tsx';

/** What the vault promises, whether it holds, and how the promises came about. */
export function MandatePage({ shown }: { shown: Shown }) {
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div>
        <h2 className="text-20 font-semibold">Mandate</h2>
        <p className="text-13 text-muted">
          What the vault promises, judged at every observation. The primary manager puts a version into force with a
          signature.
        </p>
      </div>
      <PromisesCard shown={shown} heading="Promises" />
      <BreachesCard shown={shown} />
      <AttestationBar vault={shown.vault} />
      <VersionsCard shown={shown} />
    </div>
  );
}
