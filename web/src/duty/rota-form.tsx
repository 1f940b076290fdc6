import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { severityWords } from '../alerts/alert-labels.ts';
import { timeZones } from '../alerts/quiet-hours-inputs.tsx';
import { useApp } from '../client/services.ts';
import { AskedButton } from '../design/asked-button.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { ChangedMeanwhile } from '../design/changed-meanwhile.tsx';
import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { Failure } from '../design/states.tsx';
import { Switch } from '../design/switch.tsx';
import { toast } from '../design/toast.tsx';
import { useBegun } from '../design/use-begun.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import {
  type DraftOverride,
  type DutyAnswer,
  draftOf,
  type Rota,
  type RotaDraft,
  rotaFault,
  rotaOf,
  withPerson,
} from './rota-draft.ts';

type Props = { duty: DutyAnswer; shown: Shown; onClose: () => void };

/** Sets the rota of a vault. What is not right is said when one tries to save. */
export function RotaForm({ duty, shown: { vault }, onClose }: Props) {
  const { api } = useApp();
  const queries = useQueryClient();
  const [today] = useState(vault.chain_time);
  const form = useBegun(
    duty,
    ({ version }) => version,
    (of) => draftOf(of, today),
  );
  const { draft, change: setDraft, begun, isOutdated } = form;
  const rota = rotaOf(draft);
  const [isTried, setTried] = useState(false);
  const fault = rotaFault(rota);
  const params = { chain_id: String(vault.chain_id), vault_address: vault.vault_address };
  const save = useMutation({
    mutationFn: (next: Rota | null) => api.setDuty({ params, body: { version: begun.version, rota: next } }),
    onSuccess: (_answer, next) => {
      toast({ tone: 'info', title: next === null ? 'Nobody is on duty any more' : 'The rota was saved' });
      onClose();
    },
    // Also of a refusal: somebody else may have changed it meanwhile.
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
  return (
    <form
      aria-label="Rota"
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (fault === undefined) save.mutate(rota);
      }}
    >
      <LeaveGuard isDirty={form.isChanged && !save.isSuccess} what="the rota" />
      <People rota={draft} onChange={setDraft} />
      <HandOver rota={draft} onChange={setDraft} />
      <Overrides rota={draft} onChange={setDraft} />
      <Escalation rota={draft} onChange={setDraft} />
      {isTried && fault !== undefined ? (
        <p role="alert" className="text-13 text-danger">
          {fault}
        </p>
      ) : null}
      {save.isError && !isOutdated ? <Failure error={save.error} title="The rota was not saved" /> : null}
      <ChangedMeanwhile of={form} what="the rota" onDecided={save.reset}>
        {duty.rota === null
          ? 'They took the rota away.'
          : `Theirs: ${duty.rota.people.map(({ name }) => name).join(', ')}; hand-over at ${duty.rota.hand_over}, ${duty.rota.time_zone}.`}
      </ChangedMeanwhile>
      <div className="flex flex-wrap justify-end gap-2">
        {begun.rota === null ? null : (
          <AskedButton
            sure="Take it away: nobody is on duty then"
            isDisabled={save.isPending || isOutdated}
            onPress={() => save.mutate(null)}
          >
            Take the rota away
          </AskedButton>
        )}
        <Button onPress={onClose}>Leave it</Button>
        <Button type="submit" look="primary" isDisabled={save.isPending || isOutdated}>
          {save.isPending ? 'Saving' : 'Save the rota'}
        </Button>
      </div>
    </form>
  );
}

type PartProps = { rota: RotaDraft; onChange: (rota: RotaDraft) => void };

const replaced = <T,>(list: readonly T[], index: number, next: T): T[] =>
  list.map((each, at) => (at === index ? next : each));

function People({ rota, onChange }: PartProps) {
  const { people } = rota;
  return (
    <Card className="flex flex-col gap-3">
      <h3 className="text-14 font-semibold">People, in the order of their weeks</h3>
      {people.map((person, index) => (
        <div key={person.key} className="grid grid-cols-1 items-end gap-3 sm:grid-cols-[12rem_minmax(0,1fr)_auto]">
          <Field
            label={`Name ${index + 1}`}
            value={person.name}
            onChange={(name) => onChange({ ...rota, people: replaced(people, index, { ...person, name }) })}
            autoComplete="off"
          />
          <Field
            label={`Address ${index + 1}`}
            mono
            value={person.wallet_address}
            onChange={(text) =>
              onChange({ ...rota, people: replaced(people, index, { ...person, wallet_address: text.trim() }) })
            }
            autoComplete="off"
          />
          <Button
            look="quiet"
            aria-label={`Remove person ${index + 1}`}
            isDisabled={people.length === 1}
            onPress={() => onChange({ ...rota, people: people.filter((_, at) => at !== index) })}
          >
            Remove
          </Button>
        </div>
      ))}
      <span>
        <Button isDisabled={people.length >= 20} onPress={() => onChange(withPerson(rota))}>
          Add a person
        </Button>
      </span>
    </Card>
  );
}

function HandOver({ rota, onChange }: PartProps) {
  return (
    <Card className="grid grid-cols-1 gap-3 sm:grid-cols-3">
      <Field
        type="date"
        label="First hand-over"
        value={rota.starts_on}
        onChange={(starts_on) => onChange({ ...rota, starts_on })}
        hint="Each later one is a week after."
      />
      <Field type="time" label="At" value={rota.hand_over} onChange={(hand_over) => onChange({ ...rota, hand_over })} />
      <Field
        label="Time zone"
        value={rota.time_zone}
        suggestions={timeZones()}
        onChange={(time_zone) => onChange({ ...rota, time_zone })}
        autoComplete="off"
      />
    </Card>
  );
}

const fieldOf = (iso: string): string => iso.slice(0, 16);
const isoOf = (field: string): string => (field === '' ? '' : `${field.slice(0, 16)}:00.000Z`);

function Overrides({ rota, onChange }: PartProps) {
  const { overrides, people } = rota;
  const options = people.map(({ key, name }, index) => ({
    value: key,
    label: name === '' ? `Person ${index + 1}` : name,
  }));
  const put = (index: number, next: DraftOverride) =>
    onChange({ ...rota, overrides: replaced(overrides, index, next) });
  return (
    <Card className="flex flex-col gap-3">
      <h3 className="text-14 font-semibold">Who stands in</h3>
      {overrides.length === 0 ? <p className="text-13 text-muted">Nobody: the weeks stand as they are.</p> : null}
      {overrides.map((override, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: overrides have no other identity while they are typed
        <div key={index} className="grid grid-cols-1 items-end gap-3 sm:grid-cols-[repeat(3,minmax(0,1fr))_auto]">
          <Choice
            label={`Person of override ${index + 1}`}
            value={override.person}
            options={options}
            onChange={(person) => put(index, { ...override, person })}
          />
          <Field
            type="datetime-local"
            label="From (UTC)"
            value={fieldOf(override.from)}
            onChange={(from) => put(index, { ...override, from: isoOf(from) })}
          />
          <Field
            type="datetime-local"
            label="To (UTC)"
            value={fieldOf(override.to)}
            onChange={(to) => put(index, { ...override, to: isoOf(to) })}
          />
          <Button
            look="quiet"
            aria-label={`Remove override ${index + 1}`}
            onPress={() => onChange({ ...rota, overrides: overrides.filter((_, at) => at !== index) })}
          >
            Remove
          </Button>
        </div>
      ))}
      <span>
        <Button
          isDisabled={overrides.length >= 50}
          onPress={() =>
            onChange({ ...rota, overrides: [...overrides, { from: '', to: '', person: people[0]?.key ?? '' }] })
          }
        >
          Add an override
        </Button>
      </span>
    </Card>
  );
}

const severities = (['critical', 'warning', 'info'] as const).map((value) => ({
  value,
  label: value === 'critical' ? 'Critical only' : `${severityWords[value]} or worse`,
}));

function Escalation({ rota, onChange }: PartProps) {
  const { escalation } = rota;
  return (
    <Card className="flex flex-col gap-3">
      <Switch
        label="Escalate what nobody acknowledges"
        isSelected={escalation !== null}
        onChange={(isOn) =>
          onChange({ ...rota, escalation: isOn ? { after_minutes: 15, min_severity: 'critical' } : null })
        }
      />
      {escalation === null ? null : (
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <Field
            label="After how many minutes"
            inputMode="numeric"
            value={Number.isNaN(escalation.after_minutes) ? '' : String(escalation.after_minutes)}
            onChange={(text) =>
              onChange({
                ...rota,
                escalation: { ...escalation, after_minutes: /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN },
              })
            }
          />
          <Choice
            label="Which alerts"
            value={escalation.min_severity}
            options={severities}
            onChange={(min_severity) => onChange({ ...rota, escalation: { ...escalation, min_severity } })}
          />
        </div>
      )}
    </Card>
  );
}
