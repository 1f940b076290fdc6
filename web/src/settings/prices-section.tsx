import type { VaultSettings } from '@castellan/contracts';
import { useState } from 'react';
import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { formatBpsShare } from '../format/figures.ts';
import { formatDuration } from '../format/time.ts';
import { typedBpsPercent } from '../format/typed.ts';
import { durationInput, readDuration, readPercent, type TimeUnit, timeUnits } from './inputs.ts';
import { Block, Facts, Pending, PrepareForm, Section } from './parts.tsx';
import { type Ask, isPrimary, type SectionProps } from './use-settings.ts';

const MAX_THRESHOLD_BPS = 1_000_000;

export function PricesSection({ settings, role, ask }: SectionProps) {
  const { pps } = settings;
  return (
    <Section
      id="prices"
      title="Prices"
      text="What a price has to satisfy before the vault accepts it, and for how long it can be used."
    >
      <Block title="Deviation guard">
        <Facts
          rows={[
            {
              name: 'Largest jump of a price',
              value:
                pps.deviation_threshold_bps === null
                  ? 'Off: any jump is accepted'
                  : formatBpsShare(pps.deviation_threshold_bps),
            },
          ]}
        />
        <p className="text-13 text-muted">A price that jumps further is refused, and the vault pauses itself.</p>
        {isPrimary(role) ? <Deviation current={pps.deviation_threshold_bps} ask={ask} /> : null}
      </Block>
      <Expiration settings={settings} role={role} ask={ask} />
      <Interval settings={settings} role={role} ask={ask} />
      <Block title="Staleness">
        <Facts rows={[{ name: 'Longest staleness', value: formatDuration(pps.max_staleness_seconds) }]} />
        <p className="text-13 text-muted">
          How old a report may be when it arrives. It was set when the vault was created and cannot be changed.
        </p>
      </Block>
    </Section>
  );
}

function Deviation({ current, ask }: { current: number | null; ask: Ask }) {
  const [isOn, setOn] = useState(current !== null);
  const [text, setText] = useState(current === null ? '' : typedBpsPercent(Math.floor(current)));
  const [isTried, setTried] = useState(false);
  const read = readPercent(text, MAX_THRESHOLD_BPS);
  const submit = () => {
    setTried(true);
    if (isOn && 'error' in read) return;
    const deviation_threshold_bps = isOn && 'value' in read ? read.value : null;
    ask('Set the deviation guard', { kind: 'set_deviation_threshold', args: { deviation_threshold_bps } });
  };
  return (
    <PrepareForm label="Set the deviation guard" submit="Prepare change" onSubmit={submit}>
      <label className="flex min-h-6 items-center gap-2 text-13 font-medium">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => setOn(target.checked)}
          className="size-4 accent-accent"
        />
        Guard is on
      </label>
      {isOn ? (
        <Field
          label="Largest jump, %"
          value={text}
          onChange={setText}
          error={isTried && 'error' in read ? read.error : undefined}
          hint="It takes effect at once. 0 refuses every price that is not the same."
          inputMode="decimal"
          autoComplete="off"
        />
      ) : (
        <p className="text-13 text-brass">Without the guard a wrong price is accepted, however far it jumps.</p>
      )}
    </PrepareForm>
  );
}

function Expiration({ settings, role, ask }: Omit<SectionProps, 'shown'>) {
  const { pps, chain_time } = settings;
  const { limits, pending_expiration: pending } = pps;
  return (
    <Block title="Expiration">
      <Facts rows={[{ name: 'A price may be used for', value: formatDuration(pps.expiration_seconds) }]} />
      {pending === null ? null : (
        <Pending
          what={`A price may be used for ${formatDuration(pending.expiration_seconds)}.`}
          effectiveAt={pending.effective_at}
          canExecute={pending.can_execute}
          chainTime={chain_time}
          onExecute={
            isPrimary(role)
              ? () => ask('Execute the proposed expiration', { kind: 'execute_expiration', args: {} })
              : undefined
          }
          onCancel={
            isPrimary(role)
              ? () => ask('Cancel the proposed expiration', { kind: 'cancel_expiration', args: {} })
              : undefined
          }
        />
      )}
      {isPrimary(role) ? (
        <DurationForm
          label="Propose an expiration"
          field="New expiration"
          hint={`${formatDuration(limits.min_expiration_seconds)} to ${formatDuration(limits.max_expiration_seconds)}; executed ${formatDuration(limits.expiration_timelock_seconds)} later.`}
          current={pps.expiration_seconds}
          check={(seconds) =>
            seconds < limits.min_expiration_seconds || seconds > limits.max_expiration_seconds
              ? `Between ${formatDuration(limits.min_expiration_seconds)} and ${formatDuration(limits.max_expiration_seconds)}.`
              : undefined
          }
          onAsk={(expiration_seconds) =>
            ask('Propose an expiration', { kind: 'propose_expiration', args: { expiration_seconds } })
          }
        />
      ) : null}
    </Block>
  );
}

function Interval({ settings, role, ask }: Omit<SectionProps, 'shown'>) {
  const { pps, chain_time } = settings;
  const { limits, pending_min_update_interval: pending } = pps;
  return (
    <Block title="Least time between prices">
      <Facts rows={[{ name: 'Between two prices', value: formatDuration(pps.min_update_interval_seconds) }]} />
      {pending === null ? null : (
        <Pending
          what={`At least ${formatDuration(pending.min_update_interval_seconds)} between two prices.`}
          effectiveAt={pending.effective_at}
          canExecute={pending.can_execute}
          chainTime={chain_time}
          onExecute={
            isPrimary(role)
              ? () => ask('Execute the proposed interval', { kind: 'execute_min_update_interval', args: {} })
              : undefined
          }
          onCancel={
            isPrimary(role)
              ? () => ask('Cancel the proposed interval', { kind: 'cancel_min_update_interval', args: {} })
              : undefined
          }
        />
      )}
      {isPrimary(role) ? (
        <DurationForm
          label="Propose an interval"
          field="New interval"
          hint={`Shorter than the longest staleness, ${formatDuration(pps.max_staleness_seconds)}; executed ${formatDuration(limits.min_update_interval_timelock_seconds)} later.`}
          current={pps.min_update_interval_seconds}
          check={(seconds) =>
            seconds >= pps.max_staleness_seconds
              ? `Shorter than the longest staleness, ${formatDuration(pps.max_staleness_seconds)}.`
              : undefined
          }
          onAsk={(min_update_interval_seconds) =>
            ask('Propose an interval', { kind: 'propose_min_update_interval', args: { min_update_interval_seconds } })
          }
        />
      ) : null}
    </Block>
  );
}

type DurationProps = {
  label: string;
  field: string;
  hint: string;
  current: VaultSettings['pps']['expiration_seconds'];
  check: (seconds: number) => string | undefined;
  onAsk: (seconds: number) => void;
};

function DurationForm({ label, field, hint, current, check, onAsk }: DurationProps) {
  const [{ text, unit }, setInput] = useState(() => durationInput(current));
  const [isTried, setTried] = useState(false);
  const read = readDuration(text, unit);
  const error = 'error' in read ? read.error : check(read.value);
  const submit = () => {
    setTried(true);
    if ('value' in read && error === undefined) onAsk(read.value);
  };
  return (
    <PrepareForm label={label} submit="Prepare proposal" onSubmit={submit}>
      <div className="flex items-start gap-2">
        <Field
          label={field}
          value={text}
          onChange={(next) => setInput({ text: next, unit })}
          error={isTried ? error : undefined}
          hint={hint}
          inputMode="numeric"
          autoComplete="off"
          className="flex-1"
        />
        <Choice
          label="Unit"
          value={unit}
          options={timeUnits}
          onChange={(next: TimeUnit) => setInput({ text, unit: next })}
          className="w-28"
        />
      </div>
    </PrepareForm>
  );
}
