import type { Asked } from '@castellan/sdk/calls';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useLocation } from 'react-router';
import { AddressTag } from '../design/address-tag.tsx';
import { AwaitedCode } from '../design/awaited-code.tsx';
import { Card } from '../design/card.tsx';
import { StatePill } from '../design/pill.tsx';
import { Failure, RowSkeletons } from '../design/states.tsx';
import { tabListLook, tabLook } from '../design/tabs.ts';
import { formatUtc } from '../format/time.ts';
import { useFormArrival } from '../navigation/use-form-arrival.ts';
import { useQueryPart } from '../period/use-view.ts';
import { PrepareDialog } from '../signing/prepare-dialog.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { BlastRadius } from './blast-radius.tsx';
import { ConfirmForm } from './confirm-form.tsx';
import { ProofCard } from './proof-card.tsx';
import { useProof } from './use-proof.ts';

const forms = ['pause-form'] as const;

const ExitTab = lazy(async () => ({ default: (await import('../strategies/exit/exit-tab.tsx')).ExitTab }));

/** What stops the vault, or takes its money out of one source. */
export function PausePage({ shown }: { shown: Shown }) {
  const { search } = useLocation();
  const put = useQueryPart();
  const current = new URLSearchParams(search).get('tab') === 'exit' ? 'exit' : 'pause';
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <h2 className="text-20 font-semibold">Pause</h2>
      <Tabs
        selectedKey={current}
        onSelectionChange={(key) => put({ tab: key === 'pause' ? null : String(key) })}
        className="flex min-w-0 flex-col gap-4 outline-none"
      >
        <TabList aria-label="Emergencies" className={tabListLook}>
          <Tab id="pause" className={tabLook}>
            Pause the vault
          </Tab>
          <Tab id="exit" className={tabLook}>
            Emergency exit
          </Tab>
        </TabList>
        {/* What was typed there survives a look at the other tab. */}
        <TabPanel id="pause" shouldForceMount className="flex min-w-0 flex-col gap-4 outline-none data-[inert]:hidden">
          <PauseTab shown={shown} />
        </TabPanel>
        <TabPanel id="exit" className="min-w-0 outline-none">
          <Suspense
            fallback={
              <AwaitedCode>
                <RowSkeletons rows={4} />
              </AwaitedCode>
            }
          >
            <ExitTab shown={shown} />
          </Suspense>
        </TabPanel>
      </Tabs>
    </div>
  );
}

function PauseTab({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { proof, check, refresh } = useProof(shown);
  const [asked, setAsked] = useState<Asked>();
  useFormArrival(forms);
  const mayPause = vault.my_role === 'primary_manager' || vault.my_role === 'secondary_manager';
  return (
    <>
      <p className="text-13 text-muted">
        {mayPause
          ? 'Every manager of the vault may pause it and release it, by a transaction.'
          : 'Managers of the vault may pause it and release it. You see its state.'}
      </p>
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <State shown={shown} />
          {shown.error === null ? null : (
            <Failure error={shown.error} title="The state of the vault could not be read" retry={shown.retry} />
          )}
          {/* On a narrow screen the way to stop the vault comes before what it does. */}
          {mayPause ? <Act shown={shown} onAsk={setAsked} className="lg:order-last" /> : null}
          <BlastRadius shown={shown} proof={proof.data} />
        </div>
        <ProofCard shown={shown} proof={proof} check={check} />
      </div>
      {asked === undefined ? null : (
        <PrepareDialog
          shown={shown}
          title={asked.kind === 'pause' ? 'Pause the vault' : 'Release the vault'}
          change={asked}
          onDone={refresh}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

function State({ shown: { vault, chain, error } }: { shown: Shown }) {
  const { pause } = vault;
  return (
    <Card className={error === null ? 'flex flex-col gap-2' : 'flex flex-col gap-2 opacity-70 grayscale'}>
      <h3 className="text-16 font-semibold">{error === null ? 'State' : 'State when it was last read'}</h3>
      <p role="status" className="flex flex-wrap items-center gap-2">
        <StatePill state={vault.operational_state} />
        <span className="text-13">{vault.is_paused ? 'The vault is paused.' : 'The vault is not paused.'}</span>
      </p>
      {vault.is_paused && pause !== null ? (
        <dl className="flex flex-col gap-1 text-13">
          <Fact name="Reason">{pause.reason ?? 'None was given here'}</Fact>
          {pause.since === null ? null : <Fact name="Since">{formatUtc(pause.since)}</Fact>}
          {pause.actor === null ? null : (
            <Fact name="By">
              <AddressTag value={pause.actor} what="who paused it" explorerUrl={chain.explorer_url} />
            </Fact>
          )}
        </dl>
      ) : null}
      <p className="text-12 text-muted">{`As of block ${vault.block_number}, ${formatUtc(vault.chain_time)}.`}</p>
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-2">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

type ActProps = { shown: Shown; onAsk: (asked: Asked) => void; className: string };

function Act({ shown: { vault, error }, onAsk, className }: ActProps) {
  // Whether to pause or to release is not known without the state, so nothing is prepared; what was typed stays.
  const closed = error === null ? undefined : 'Not before the state of the vault is read again.';
  if (vault.is_paused) {
    return (
      <Card className={`flex flex-col gap-3 ${className}`}>
        <h3 className="text-16 font-semibold">Release the vault</h3>
        <ul className="list-disc pl-4 text-13">
          <li>Price updates are accepted again at once.</li>
          <li>The price stays stale until the next report: no deposit or fulfilment works before it.</li>
          <li>That report is accepted whatever it says: the deviation guard does not check it.</li>
          <li>No performance fee can be skimmed for 12 hours.</li>
        </ul>
        <ConfirmForm
          key="unpause"
          kind="unpause"
          vaultAddress={vault.vault_address}
          closed={closed}
          onAsk={(reason) => onAsk({ kind: 'unpause', args: { reason } })}
        />
      </Card>
    );
  }
  return (
    <Card className={`flex flex-col gap-3 border-danger ${className}`}>
      <h3 className="text-16 font-semibold">Pause the vault</h3>
      <p className="text-13">
        It stops everything under “Stops” on this page for everybody, from the block your transaction is in. Depositors
        can still claim what was fulfilled.
      </p>
      <ConfirmForm
        key="pause"
        kind="pause"
        vaultAddress={vault.vault_address}
        closed={closed}
        onAsk={(reason) => onAsk({ kind: 'pause', args: { reason } })}
      />
    </Card>
  );
}
