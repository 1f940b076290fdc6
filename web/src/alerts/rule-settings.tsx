import { useMutation, useQueryClient } from '@tanstack/react-query';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { ChangedMeanwhile } from '../design/changed-meanwhile.tsx';
import { Field } from '../design/field.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { useBegun } from '../design/use-begun.ts';
import { formatDuration, formatUtc } from '../format/time.ts';
import type { AlertRule } from './queries.ts';
import { changeOf, delayFault, draftOf, ownerFault, type RuleDraft } from './rule-draft.ts';
import { ruleWords } from './rule-words.ts';
import { RunbookLink } from './runbook.tsx';
import { thresholdFault, thresholdLabel } from './threshold-text.ts';

type Props = { rule: AlertRule; vault: MyVault };

/** One rule of a vault: what it looks at, its settings, and a trial of them on the history. */
export function RuleSettings({ rule, vault }: Props) {
  const { api, config } = useApp();
  const queries = useQueryClient();
  const symbol = chainById(config, vault.chain_id)?.native_symbol ?? 'native coin';
  const form = useBegun(rule, ({ version }) => version, draftOf);
  const { draft, change: setDraft, begun, isOutdated } = form;
  const change = changeOf(begun, draft);
  const on = { chain_id: vault.chain_id, vault_address: vault.vault_address };
  const params = { rule_id: rule.rule_id };
  const test = useMutation({
    mutationFn: () => api.backtestAlertRule({ params, body: { ...on, settings: change ?? {} } }),
  });
  const save = useMutation({
    mutationFn: (set: object) => api.setAlertRule({ params, body: { ...on, version: begun.version, ...set } }),
    onSuccess: ({ version }) => {
      toast({ tone: 'info', title: `${rule.title} was saved` });
      form.saved(version);
    },
    // Also of a refusal: somebody else may have changed it meanwhile.
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
  const mayAct = vault.my_role !== 'view_only';
  const isChanged = change === undefined || Object.keys(change).length > 0;
  return (
    <>
      <LeaveGuard isDirty={mayAct && isChanged} what={`the rule ${rule.title}`} />
      <About rule={rule} />
      <div className="flex flex-wrap items-end gap-2">
        <Fields draft={draft} symbol={symbol} isReadOnly={!mayAct} of={rule.title} onChange={setDraft} />
        <Button
          aria-label={`Try on 90 days: ${rule.title}`}
          isDisabled={change === undefined || test.isPending}
          onPress={() => test.mutate()}
        >
          {test.isPending ? 'Trying' : 'Try on 90 days'}
        </Button>
        {mayAct && isChanged ? (
          <Button
            look="primary"
            aria-label={`Save ${rule.title}`}
            isDisabled={change === undefined || save.isPending || isOutdated}
            onPress={() => save.mutate(change ?? {})}
          >
            Save
          </Button>
        ) : null}
        {mayAct ? (
          <Button
            look="quiet"
            aria-label={`${rule.settings.enabled ? 'Switch off' : 'Switch on'} ${rule.title}`}
            isDisabled={save.isPending || isOutdated}
            onPress={() => save.mutate({ enabled: !rule.settings.enabled })}
          >
            {rule.settings.enabled ? 'Switch off' : 'Switch on'}
          </Button>
        ) : null}
      </div>
      {test.data === undefined ? null : <Outcome result={test.data} />}
      {test.isError ? <Failure error={test.error} title="It could not be tried" /> : null}
      {save.isError && !isOutdated ? <Failure error={save.error} title="The rule was not saved" /> : null}
      <ChangedMeanwhile of={form} what={`the rule ${rule.title}`} onDecided={save.reset}>
        {`Theirs: ${ruleWords(rule, symbol)}${rule.settings.enabled ? '' : ', switched off'}; owner ${rule.settings.owner}.`}
      </ChangedMeanwhile>
    </>
  );
}

function About({ rule }: { rule: AlertRule }) {
  const { inhibited_by: inhibitors, updated_by: updatedBy, updated_at: updatedAt } = rule;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 text-13 text-muted">
        {rule.description}
        <RunbookLink url={rule.runbook_url} of={`the rule ${rule.title}`} />
      </p>
      {inhibitors.map(({ rule_id, effect, reason }) => (
        <p key={rule_id} className="text-12 text-muted">{`${effect === 'mute' ? 'Muted' : 'Renamed'}: ${reason}`}</p>
      ))}
      {updatedBy === null || updatedAt === null ? null : (
        <p className="flex flex-wrap items-center gap-1 text-12 text-muted">
          {`Set ${formatUtc(updatedAt)} by `}
          <AddressTag value={updatedBy} what="wallet that set the rule" />
        </p>
      )}
    </>
  );
}

type FieldsProps = {
  draft: RuleDraft;
  symbol: string;
  isReadOnly: boolean;
  of: string;
  onChange: (draft: RuleDraft) => void;
};

function Fields({ draft, symbol, isReadOnly, of, onChange }: FieldsProps) {
  return (
    <fieldset className="flex flex-wrap items-end gap-2">
      <legend className="sr-only">{`Settings of ${of}`}</legend>
      {Object.entries(draft.thresholds).map(([name, text]) => (
        <Field
          key={name}
          label={thresholdLabel(name, symbol)}
          value={text}
          isReadOnly={isReadOnly}
          onChange={(value) => onChange({ ...draft, thresholds: { ...draft.thresholds, [name]: value } })}
          error={thresholdFault(name, text)}
          className="w-full sm:w-56"
        />
      ))}
      <Field
        label="Opens after (seconds)"
        value={draft.for_seconds}
        isReadOnly={isReadOnly}
        onChange={(for_seconds) => onChange({ ...draft, for_seconds })}
        error={delayFault(draft.for_seconds)}
        className="w-full sm:w-44"
      />
      <Field
        label="Resolves after (seconds)"
        value={draft.clear_seconds}
        isReadOnly={isReadOnly}
        onChange={(clear_seconds) => onChange({ ...draft, clear_seconds })}
        error={delayFault(draft.clear_seconds)}
        className="w-full sm:w-44"
      />
      <Field
        label="Owner"
        value={draft.owner}
        isReadOnly={isReadOnly}
        onChange={(owner) => onChange({ ...draft, owner })}
        error={ownerFault(draft.owner)}
        className="w-full sm:w-48"
      />
    </fieldset>
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
          : `It would have fired ${times} since ${formatUtc(result.from)}, ${formatDuration(result.open_seconds)} in all; ${result.notified} of them would have been sent out.`}
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
