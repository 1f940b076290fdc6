import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Card } from '../design/card.tsx';
import { Choice } from '../design/choice.tsx';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { sameAddress, shortHex } from '../format/address.ts';
import { More } from '../lists/more.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useSession, useViewer } from '../session/use-session.ts';
import { type AlertFilter, severityOptions, statusOptions, useAlertFilter } from './alert-filter.ts';
import { AlertRow, alertLinkId } from './alert-row.tsx';
import { type Alert, type DutyNow, dutyNowQuery } from './queries.ts';
import { useAlertList } from './use-alert-list.ts';

type Props = { vaults: readonly MyVault[] };

/** The alerts of the own vaults, narrowed by what the URL says. */
export function AlertList({ vaults }: Props) {
  const { filter, change } = useAlertFilter();
  const { read, alerts, total, more, isReadOn } = useAlertList(filter);
  const vault = vaults.find((each) => sameAddress(keyOf(each), filter.vault));
  const dutyOf = useDutyNow();
  const heading = useRef<HTMLHeadingElement>(null);
  const leave = useFocusAfterChange(alerts, heading);
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center gap-3 border-b px-4 py-2">
        <h2 ref={heading} tabIndex={-1} className="mr-auto text-14 font-semibold">
          List
        </h2>
        <Filters filter={filter} vaults={vaults} onChange={change} />
      </div>
      {vault === undefined ? null : <OnDutyNow vault={vault} duty={dutyOf(vault)} />}
      <ReadTrouble of={read} what="The alerts" />
      {alerts === undefined ? (
        read.isError ? (
          <Empty title="Nothing to show">The list appears here once it can be read.</Empty>
        ) : (
          <RowSkeletons rows={4} />
        )
      ) : alerts.length === 0 ? (
        <None filter={filter} />
      ) : (
        <ul aria-label="Alerts" className="divide-y">
          {alerts.map((alert) => (
            <AlertRow
              key={alert.alert_id}
              alert={alert}
              vaults={vaults}
              onDuty={dutyOf(alert)?.on_duty?.name}
              onChanged={() => leave(alert.alert_id)}
            />
          ))}
        </ul>
      )}
      {alerts !== undefined && (isReadOn || alerts.length < total) ? (
        <More list={more} shown={alerts.length} total={total} what="alerts" />
      ) : null}
    </Card>
  );
}

/** Who answers the alerts of a vault now; undefined for one without a rota, and until it is read. */
function useDutyNow() {
  const { api } = useApp();
  const enabled = useSession().status === 'signed_in';
  const { data } = useQuery({ ...dutyNowQuery(api, useViewer()), enabled });
  const duties = new Map(data?.vaults.map((each) => [keyOf(each), each]));
  return (vault: Named): DutyNow | undefined => duties.get(keyOf(vault));
}

const OnDutyNow = ({ vault, duty }: { vault: MyVault; duty: DutyNow | undefined }) =>
  duty === undefined ? null : (
    <p className="border-b px-4 py-2 text-13 text-muted">
      {`On duty now for ${vault.name}: ${duty.on_duty?.name ?? 'nobody yet'}`}
    </p>
  );

/** What is taken away or switched off loses the focus. */
const isFocusLost = (): boolean => {
  const { activeElement: active } = document;
  return active === null || active === document.body || active.matches(':disabled');
};

/**
 * Keeps the place of somebody who works through the list by keys: an alert that leaves it hands the focus to the next one, the last to the
 * heading; one that stays keeps it. Nothing is taken from who went elsewhere meanwhile.
 */
function useFocusAfterChange(alerts: readonly Alert[] | undefined, heading: RefObject<HTMLElement | null>) {
  const changed = useRef<{ id: string; next: string | undefined }>(null);
  useEffect(() => {
    if (changed.current === null || alerts === undefined) return;
    const { id, next } = changed.current;
    changed.current = null;
    if (!isFocusLost()) return;
    const place = document.getElementById(alertLinkId(id)) ?? document.getElementById(alertLinkId(next ?? ''));
    (place ?? heading.current)?.focus();
  }, [alerts, heading]);
  return (id: string) => {
    const at = alerts?.findIndex(({ alert_id }) => alert_id === id) ?? -1;
    changed.current = { id, next: (alerts?.[at + 1] ?? alerts?.[at - 1])?.alert_id };
  };
}

type Named = { chain_id: number; vault_address: string };
const keyOf = ({ chain_id, vault_address }: Named): string => `${chain_id}:${vault_address}`;

type FiltersProps = Props & { filter: AlertFilter; onChange: (part: Partial<AlertFilter>) => void };

function Filters({ filter, vaults, onChange }: FiltersProps) {
  // As a link may write it: in any case, and of a vault that is not among those that were read.
  const chosen = vaults.map(keyOf).find((key) => sameAddress(key, filter.vault)) ?? filter.vault;
  const isElsewhere = chosen !== '' && !vaults.some((vault) => keyOf(vault) === chosen);
  return (
    <>
      <Choice
        label="Of which vault"
        hideLabel
        value={chosen}
        options={[
          { value: '', label: 'Every vault' },
          ...(isElsewhere ? [{ value: chosen, label: shortHex(chosen.split(':')[1] ?? chosen) }] : []),
          ...vaults.map((vault) => ({ value: keyOf(vault), label: vault.name })),
        ]}
        onChange={(vault) => onChange({ vault })}
        className="w-full sm:w-48"
      />
      <Choice
        label="Of which severity"
        hideLabel
        value={filter.severity}
        options={severityOptions}
        onChange={(severity) => onChange({ severity })}
        className="w-full sm:w-40"
      />
      <Choice
        label="Status"
        hideLabel
        value={filter.status}
        options={statusOptions}
        onChange={(status) => onChange({ status })}
        className="w-full sm:w-44"
      />
    </>
  );
}

function None({ filter: { status, vault, severity } }: { filter: AlertFilter }) {
  if (vault !== '' || severity !== '')
    return <Empty title="No such alert">Others appear here with another vault, severity or status.</Empty>;
  return status === 'active' ? (
    <Empty title="No active alert">
      No rule reports anything now. Acknowledged and muted alerts stand under their own status.
    </Empty>
  ) : (
    <Empty title="None" />
  );
}
