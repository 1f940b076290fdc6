import { Choice } from '../../design/choice.tsx';
import { Field } from '../../design/field.tsx';
import { Switch } from '../../design/switch.tsx';
import { severityWords } from '../alert-labels.ts';
import type { Binding, OwnRules } from '../queries.ts';
import { faultsOf, metricOf, type OwnRuleDraft, unitOfDraft } from './own-rule-draft.ts';

type Props = {
  draft: OwnRuleDraft;
  offered: OwnRules;
  /** Of the vault, those that get every alert. */
  bound: readonly Binding[];
  /** Faults of empty fields are not shown before one has typed. */
  isFresh: boolean;
  onChange: (draft: OwnRuleDraft) => void;
};

const comparisons = [
  { value: 'below', label: 'is below' },
  { value: 'above', label: 'is above' },
  { value: 'changes', label: 'changes by more than' },
] as const;
const severities = (['critical', 'warning', 'info'] as const).map((value) => ({ value, label: severityWords[value] }));

/** What a rule is about and what becomes of its alert. */
export function OwnRuleFields(props: Props) {
  const { draft, offered, isFresh, onChange } = props;
  const faults = faultsOf(draft, offered);
  const set = (change: Partial<OwnRuleDraft>) => onChange({ ...draft, ...change });
  const shown = (text: string, fault: string | undefined) => (isFresh && text === '' ? undefined : fault);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-2">
        <Field
          label="Title"
          value={draft.title}
          onChange={(title) => set({ title })}
          error={shown(draft.title, faults.title)}
          className="w-full sm:w-72"
          autoComplete="off"
        />
        <Choice
          label="Severity"
          value={draft.severity}
          options={severities}
          onChange={(severity) => set({ severity })}
          className="w-full sm:w-36"
        />
      </div>
      <Condition {...props} />
      <div className="flex flex-wrap items-start gap-2">
        <Field
          label="Opens after (seconds)"
          value={draft.for_seconds}
          onChange={(for_seconds) => set({ for_seconds })}
          error={faults.for_seconds}
          className="w-full sm:w-44"
        />
        <Field
          label="Resolves after (seconds)"
          value={draft.clear_seconds}
          onChange={(clear_seconds) => set({ clear_seconds })}
          error={faults.clear_seconds}
          className="w-full sm:w-44"
        />
        <Field
          label="Owner"
          value={draft.owner}
          onChange={(owner) => set({ owner })}
          error={faults.owner}
          className="w-full sm:w-48"
        />
      </div>
      <Field
        label="Text"
        hint="Behind the figures in the alert's message: what it means, what to do."
        value={draft.text}
        maxLength={500}
        onChange={(text) => set({ text })}
        autoComplete="off"
      />
      <Channels {...props} />
    </div>
  );
}

function Condition({ draft, offered, isFresh, onChange }: Props) {
  const faults = faultsOf(draft, offered);
  const unit = unitOfDraft(draft, offered);
  const { source, known } = metricOf(draft, offered);
  const set = (change: Partial<OwnRuleDraft>) => onChange({ ...draft, ...change });
  return (
    <>
      <div className="flex flex-wrap items-start gap-2">
        <Choice
          label="Figure"
          value={draft.metric}
          options={offered.metrics.map(({ metric: value, title: label }) => ({ value, label }))}
          onChange={(metric) => set({ metric })}
          className="w-full sm:w-72"
        />
        <Choice
          label="Comparison"
          value={draft.comparison}
          options={comparisons}
          onChange={(comparison) => set({ comparison })}
          className="w-full sm:w-52"
        />
        <Field
          label={unit.name === undefined ? 'Threshold' : `Threshold (${unit.name})`}
          value={draft.threshold}
          onChange={(threshold) => set({ threshold })}
          error={isFresh && draft.threshold === '' ? undefined : faults.threshold}
          className="w-full sm:w-44"
          autoComplete="off"
        />
        {draft.comparison === 'changes' ? (
          <Field
            label="Within (hours)"
            value={draft.within_hours}
            onChange={(within_hours) => set({ within_hours })}
            error={faults.within_hours}
            className="w-full sm:w-36"
          />
        ) : null}
      </div>
      <p className="text-12 text-muted">{`Known: ${known} The same as ${source}.`}</p>
    </>
  );
}

/** Which channels get it: all that the vault has, or some of them. */
function Channels({ draft, offered, bound, onChange }: Props) {
  const { channels } = draft;
  const fault = faultsOf(draft, offered).channels;
  if (bound.length === 0 && channels === null) return null;
  return (
    <fieldset className="flex flex-wrap items-center gap-x-4">
      <legend className="sr-only">Channels</legend>
      <Switch
        label="To every channel of the vault"
        isSelected={channels === null}
        onChange={(isAll) => onChange({ ...draft, channels: isAll ? null : [] })}
      />
      {channels === null
        ? null
        : bound.map(({ channel: { channel_id, name, provider } }) => (
            <Switch
              key={channel_id}
              label={provider === 'webhook' ? `${name} (gets every event)` : name}
              isDisabled={provider === 'webhook'}
              isSelected={provider === 'webhook' || channels.includes(channel_id)}
              onChange={(isOn) =>
                onChange({
                  ...draft,
                  channels: isOn ? [...channels, channel_id] : channels.filter((each) => each !== channel_id),
                })
              }
            />
          ))}
      {fault === undefined ? null : <p className="text-12 text-danger">{fault}</p>}
    </fieldset>
  );
}
