import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../app/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { Pill } from '../design/pill.tsx';
import { Empty, Failure, RowSkeletons } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { formatDuration, formatUtc } from '../format/time.ts';
import { useViewer } from '../session/use-session.ts';
import { type AlertRule, rulesQuery } from './queries.ts';

const keyOf = ({ chain_id, vault_address }: MyVault): string => `${chain_id}:${vault_address}`;

/** Rules of one vault: thresholds, and what they would have done over its own history. */
export function RulesCard({ vaults }: { vaults: readonly MyVault[] }) {
  const [chosen, setChosen] = useState<string>();
  const vault = vaults.find((each) => keyOf(each) === chosen) ?? vaults[0];
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center justify-between gap-3 border-b px-4 py-2">
        <h2 className="text-14 font-semibold">Rules</h2>
        {vault === undefined ? null : (
          <Choice
            label="Vault"
            hideLabel
            value={keyOf(vault)}
            options={vaults.map((each) => ({ value: keyOf(each), label: each.name }))}
            onChange={setChosen}
            className="w-56"
          />
        )}
      </div>
      {vault === undefined ? (
        <Empty title="No vault">Rules are set per vault; they appear here once you have a role on one.</Empty>
      ) : (
        <Rules key={keyOf(vault)} vault={vault} />
      )}
    </Card>
  );
}

function Rules({ vault }: { vault: MyVault }) {
  const { api } = useApp();
  const list = useQuery(rulesQuery(api, useViewer(), vault.chain_id, vault.vault_address));
  if (list.isError)
    return <Failure error={list.error} title="The rules could not be read" retry={() => list.refetch()} />;
  if (list.data === undefined) return <RowSkeletons rows={6} />;
  return (
    <ul aria-label="Rules" className="divide-y">
      {list.data.rules.map((rule) => (
        <RuleRow key={`${rule.rule_id}:${rule.version}`} rule={rule} vault={vault} />
      ))}
    </ul>
  );
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ');

function RuleRow({ rule, vault }: { rule: AlertRule; vault: MyVault }) {
  const { api } = useApp();
  const queries = useQueryClient();
  const [texts, setTexts] = useState<Record<string, string>>(() =>
    Object.fromEntries(Object.entries(rule.settings.thresholds).map(([name, value]) => [name, String(value)])),
  );
  const thresholds = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)]));
  const isValid = Object.entries(texts).every(([name, text]) => text.trim() !== '' && (thresholds[name] ?? -1) >= 0);
  const on = { chain_id: vault.chain_id, vault_address: vault.vault_address };
  const params = { rule_id: rule.rule_id };
  const test = useMutation({
    mutationFn: () => api.backtestAlertRule({ params, body: { ...on, settings: { thresholds } } }),
  });
  const save = useMutation({
    mutationFn: (change: { thresholds?: Record<string, number>; enabled?: boolean }) =>
      api.setAlertRule({ params, body: { ...on, version: rule.version, ...change } }),
    onSuccess: () => {
      toast({ tone: 'info', title: `${rule.title} was saved` });
      return queries.invalidateQueries({ queryKey: ['alerts'] });
    },
  });
  const mayAct = vault.my_role !== 'view_only';
  const isChanged = Object.entries(thresholds).some(([name, value]) => value !== rule.settings.thresholds[name]);
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{rule.title}</span>
        <Pill tone={rule.severity === 'critical' ? 'critical' : rule.severity === 'warning' ? 'warn' : 'info'}>
          {rule.severity}
        </Pill>
        {rule.settings.enabled ? null : <Pill tone="plain">Off</Pill>}
      </div>
      <p className="text-13 text-muted">{rule.description}</p>
      <div className="flex flex-wrap items-end gap-2">
        {Object.entries(texts).map(([name, text]) => (
          <Field
            key={name}
            label={wordsOf(name)}
            value={text}
            isReadOnly={!mayAct}
            onChange={(value) => setTexts((before) => ({ ...before, [name]: value }))}
            error={text.trim() === '' || !(Number(text) >= 0) ? 'A number, 0 or more' : undefined}
            className="w-40"
          />
        ))}
        <Button
          aria-label={`Try on 90 days: ${rule.title}`}
          isDisabled={!isValid || test.isPending}
          onPress={() => test.mutate()}
        >
          {test.isPending ? 'Trying' : 'Try on 90 days'}
        </Button>
        {mayAct && isChanged ? (
          <Button look="primary" isDisabled={!isValid || save.isPending} onPress={() => save.mutate({ thresholds })}>
            Save
          </Button>
        ) : null}
        {mayAct ? (
          <Button
            look="quiet"
            aria-label={`${rule.settings.enabled ? 'Switch off' : 'Switch on'} ${rule.title}`}
            isDisabled={save.isPending}
            onPress={() => save.mutate({ enabled: !rule.settings.enabled })}
          >
            {rule.settings.enabled ? 'Switch off' : 'Switch on'}
          </Button>
        ) : null}
      </div>
      {test.data === undefined ? null : <Outcome result={test.data} />}
      {test.isError ? <Failure error={test.error} title="It could not be tried" /> : null}
      {save.isError ? <Failure error={save.error} title="The rule was not saved" /> : null}
    </li>
  );
}

type Result = Awaited<ReturnType<ReturnType<typeof useApp>['api']['backtestAlertRule']>>;

function Outcome({ result }: { result: Result }) {
  const times = result.fired === 1 ? 'once' : `${result.fired} times`;
  return (
    <div className="rounded-card border bg-raised p-3 text-13">
      <p>
        {result.fired === 0
          ? `It would not have fired since ${formatUtc(result.from)}.`
          : `It would have fired ${times} since ${formatUtc(result.from)}, ${formatDuration(result.open_seconds)} in all; somebody would have been told of ${result.notified}.`}
      </p>
      {result.episodes.length === 0 ? null : (
        <ul className="mt-2 flex flex-col gap-1 text-muted">
          {result.episodes.slice(0, 5).map(({ opened_at, duration_seconds, subject, title }) => (
            <li
              key={`${opened_at}:${subject}`}
            >{`${formatUtc(opened_at)}, for ${formatDuration(duration_seconds)}: ${title}`}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
