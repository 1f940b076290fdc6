import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { severityWords } from '../alerts/alert-labels.ts';
import { bindingsQuery, dutyQuery } from '../alerts/queries.ts';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Card, Figure, Figures } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { Empty, Notice, RowSkeletons } from '../design/states.tsx';
import { NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { alertsPath } from '../navigation/paths.ts';
import { useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { CopyRota } from './copy-rota.tsx';
import type { DutyAnswer, Rota } from './rota-draft.ts';
import { RotaForm } from './rota-form.tsx';

/** Who is on duty for a vault, who comes next, and what happens when nobody answers. */
export function DutyPage({ shown }: { shown: Shown }) {
  const { api } = useApp();
  const viewer = useViewer();
  const { vault } = shown;
  const duty = useQuery(dutyQuery(api, viewer, vault));
  const [isEditing, setEditing] = useState(false);
  const canSet = vault.my_role === 'primary_manager' || vault.my_role === 'secondary_manager';
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-20 font-semibold">On duty</h2>
          <p className="text-13 text-muted">Who answers the alerts of this vault, and when.</p>
        </div>
        {canSet && duty.data !== undefined && !isEditing ? (
          <span className="flex flex-wrap gap-2">
            {duty.data.rota === null ? null : <CopyRota vault={vault} rota={duty.data.rota} />}
            <Button look={duty.data.rota === null ? 'primary' : 'secondary'} onPress={() => setEditing(true)}>
              {duty.data.rota === null ? 'Set up a rota' : 'Change the rota'}
            </Button>
          </span>
        ) : null}
      </div>
      <ReadTrouble of={duty} what="Who is on duty" />
      {duty.data === undefined ? (
        duty.isError ? null : (
          <Card>
            <RowSkeletons rows={4} />
          </Card>
        )
      ) : isEditing ? (
        <RotaForm duty={duty.data} shown={shown} onClose={() => setEditing(false)} />
      ) : duty.data.rota === null ? (
        <Card>
          <Empty title="Nobody is named">
            With a rota each message about an alert names who is on duty, and an alert that nobody acknowledges goes to
            the next person.
          </Empty>
        </Card>
      ) : (
        <>
          <NoChannel vault={vault} rota={duty.data.rota} />
          <OnDuty duty={duty.data} rota={duty.data.rota} explorerUrl={shown.chain.explorer_url} />
        </>
      )}
    </div>
  );
}

/** An escalation without a channel of its own goes to those that nobody answered. */
function NoChannel({ vault, rota }: { vault: Shown['vault']; rota: Rota }) {
  const { api } = useApp();
  const bindings = useQuery({
    ...bindingsQuery(api, useViewer(), vault.chain_id, vault.vault_address),
    enabled: rota.escalation !== null,
  });
  const working = bindings.data?.channels.filter(({ state }) => state !== 'inactive');
  if (rota.escalation === null || working === undefined) return null;
  if (working.some(({ receives }) => receives === 'escalations')) return null;
  return (
    <Notice tone="warn" title="No channel receives escalations">
      {working.length === 0
        ? 'No channel of this vault is at work: nobody hears of an alert, nor of its escalation. Channels are set '
        : 'An escalation goes to the channels that got the alert before it. A channel for escalations only is set '}
      <Link to={alertsPath} className="link">
        with the alerts
      </Link>
      .
    </Notice>
  );
}

type Props = {
  duty: DutyAnswer;
  rota: Rota;
  explorerUrl: string | null | undefined;
};

function OnDuty({ duty, rota, explorerUrl }: Props) {
  const { on_duty, next, shifts } = duty;
  const { escalation } = rota;
  return (
    <>
      <Figures columns={2}>
        <Figure label="On duty now" value={on_duty?.name ?? 'Nobody yet'} tone={on_duty ? 'accent' : 'brass'} isLarge>
          {on_duty ? (
            <AddressTag value={on_duty.wallet_address} what="wallet address" explorerUrl={explorerUrl} />
          ) : (
            `The rota starts on ${rota.starts_on}`
          )}
        </Figure>
        <Figure label="Next" value={next?.name ?? NONE} isLarge>
          {next ? (
            <AddressTag value={next.wallet_address} what="wallet address" explorerUrl={explorerUrl} />
          ) : (
            'Nobody else is named'
          )}
        </Figure>
      </Figures>
      <Card className="flex flex-col gap-1 text-13">
        <p>
          {escalation === null
            ? 'Nothing is escalated.'
            : `${severityWords[escalation.min_severity]}${escalation.min_severity === 'critical' ? '' : ' or worse'}: after ${escalation.after_minutes} minutes without an acknowledgement it goes to ${next?.name ?? 'the channels for escalations'}.`}
        </p>
        {escalation === null ? null : (
          <p className="text-muted">
            Which channels get escalations is set beside each of them,{' '}
            <Link to={alertsPath} className="link">
              with the alerts
            </Link>
            .
          </p>
        )}
        {duty.updated_at === null ? null : (
          <p className="text-12 text-muted">{`Set ${formatUtc(duty.updated_at)}; hand-over at ${rota.hand_over}, ${rota.time_zone}.`}</p>
        )}
      </Card>
      <Card isFlush>
        <h3 className="px-4 pt-4 pb-2 text-14 font-semibold">Weeks ahead</h3>
        <PlainTable
          label="Weeks ahead"
          head={['Person', 'From', 'To', 'Kind']}
          words={[1, 2, 3]}
          rows={shifts.map(({ from, to, person, is_override }) => ({
            id: `${from} ${is_override}`,
            cells: [
              person.name,
              formatUtc(from),
              formatUtc(to),
              is_override ? (
                <Pill key="kind" tone="info">
                  Stands in
                </Pill>
              ) : (
                'Week'
              ),
            ],
          }))}
        />
      </Card>
    </>
  );
}
