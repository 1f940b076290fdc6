import type { Asked } from '@castellan/sdk/calls';
import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { Pill } from '../design/pill.tsx';
import { RowSkeletons } from '../design/states.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useFormArrival } from '../navigation/use-form-arrival.ts';
import { useSession } from '../session/use-session.ts';
import { PrepareDialog } from '../signing/prepare-dialog.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { FeesSection } from './fees-section.tsx';
import { Block, Facts, Section } from './parts.tsx';
import { PricesSection } from './prices-section.tsx';
import { UpkeepSection } from './upkeep-section.tsx';
import { isManager, type Role, type SectionProps, useSettings } from './use-settings.ts';

const sections = [
  { id: 'fees', title: 'Fees' },
  { id: 'prices', title: 'Prices' },
  { id: 'upkeep', title: 'Upkeep' },
  { id: 'activation', title: 'Activation' },
] as const;

const forms = ['propose-fees', 'deposit-upkeep'] as const;

const leads: Record<Role, string> = {
  primary_manager: 'Every change is a transaction of yours; what waits shows here until it is executed.',
  secondary_manager:
    'You can skim the fee, pay upkeep and execute a withdrawal that waits. The primary manager sets the rest.',
  view_only: 'You see what is set. The managers change it.',
};

/** Brings the section named by `?panel=` or the anchor into view once it is there. */
function useArrival(isReady: boolean) {
  const [params] = useSearchParams();
  const { hash } = useLocation();
  const wanted = params.get('panel') ?? hash.slice(1);
  useEffect(() => {
    if (!isReady || !sections.some(({ id }) => id === wanted)) return;
    document.getElementById(wanted)?.scrollIntoView();
    document.getElementById(`${wanted}-title`)?.focus({ preventScroll: true });
  }, [isReady, wanted]);
}

export function SettingsPage({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const isSignedIn = useSession().status === 'signed_in';
  const { settings, refresh } = useSettings(shown);
  const [asked, setAsked] = useState<{ title: string; change: Asked }>();
  useArrival(settings.data !== undefined);
  useFormArrival(forms, settings.data !== undefined);
  const role = vault.my_role;
  const ask = (title: string, change: Asked) => setAsked({ title, change });
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-6 px-4 py-6 sm:px-6">
      <div>
        <h2 className="text-20 font-semibold">Settings</h2>
        <p className="text-13 text-muted">{role === null ? '' : leads[role]}</p>
      </div>
      <nav aria-label="Settings" className="flex flex-wrap gap-x-4 gap-y-1">
        {sections.map(({ id, title }) => (
          <a key={id} href={`#${id}`} className="link min-h-6 text-13">
            {title}
          </a>
        ))}
      </nav>
      {isSignedIn ? <ReadTrouble of={settings} what="The settings" /> : null}
      {settings.data === undefined ? (
        settings.isError ? null : (
          <RowSkeletons rows={8} />
        )
      ) : (
        <Body shown={shown} settings={settings.data} role={role} ask={ask} />
      )}
      {asked === undefined ? null : (
        <PrepareDialog
          shown={shown}
          title={asked.title}
          change={asked.change}
          onDone={refresh}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}

function Body(props: SectionProps) {
  const { settings } = props;
  const { activation } = settings.upkeep;
  return (
    <>
      <FeesSection {...props} />
      <PricesSection {...props} />
      <UpkeepSection {...props} />
      <Section id="activation" title="Activation" text="Whether validators price the vault and lists show it.">
        <Block title="State">
          <Facts
            rows={[
              {
                name: 'Pricing',
                value: (
                  <Pill tone={activation.is_active ? 'ok' : 'warn'}>
                    {activation.is_active ? 'Active' : 'Not active'}
                  </Pill>
                ),
              },
              { name: 'In public lists', value: activation.is_discoverable ? 'Yes' : 'No' },
              ...(activation.status === 'insufficient_upkeep'
                ? [{ name: 'Why', value: activation.reason ?? 'The upkeep balance is below what is required' }]
                : []),
            ]}
          />
          {activation.status === 'insufficient_upkeep' ? (
            <p className="text-13">
              {isManager(props.role)
                ? 'Deposit upkeep above to activate it.'
                : 'It becomes active once upkeep is deposited.'}
            </p>
          ) : null}
        </Block>
      </Section>
      <p className="text-12 text-muted">{`Read from the chain at block ${settings.block_number}.`}</p>
    </>
  );
}
