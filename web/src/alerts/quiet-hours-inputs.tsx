import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { Switch } from '../design/switch.tsx';
import { severityWords } from './alert-labels.ts';
import type { Channel } from './queries.ts';

export type QuietHours = NonNullable<Channel['quiet_hours']>;

/** Channels that people read; the others count what they get, or have schedules of their own. */
export const canBeQuiet = ({ provider }: Pick<Channel, 'provider'>): boolean =>
  provider === 'slack' || provider === 'email' || provider === 'telegram';

export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Names that the browser offers while one types. */
export const timeZones = (): readonly string[] => Intl.supportedValuesOf('timeZone');

export const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name !== '';
  } catch {
    return false;
  }
};

/** Why the hours cannot be kept so; undefined where they can. */
export function quietFault(quiet: QuietHours | null): string | undefined {
  if (quiet === null) return undefined;
  if (!isTimeZone(quiet.time_zone)) return 'Choose a time zone such as Europe/Zurich';
  if (quiet.from === '' || quiet.to === '') return 'Give both times';
  return quiet.from === quiet.to ? 'The end must differ from the beginning' : undefined;
}

/** "22:00 to 07:00, Europe/Zurich; Critical at once". */
export const quietWords = ({ from, to, time_zone, breaks_through }: QuietHours): string =>
  `Quiet ${from} to ${to}, ${time_zone}; ${breaks_through === 'info' ? 'everything' : severityWords[breaks_through].toLowerCase()} at once`;

const breaking = [
  { value: 'critical', label: 'Critical only' },
  { value: 'warning', label: 'Warning and critical' },
] as const;

type Props = { quiet: QuietHours | null; onChange: (quiet: QuietHours | null) => void };

/** When a channel holds back what can wait; it comes as one digest afterwards. */
export function QuietHoursInputs({ quiet, onChange }: Props) {
  const begin: QuietHours = { time_zone: ownTimeZone(), from: '22:00', to: '07:00', breaks_through: 'critical' };
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">Quiet hours</legend>
      <Switch label="Quiet hours" isSelected={quiet !== null} onChange={(isOn) => onChange(isOn ? begin : null)} />
      {quiet === null ? null : (
        <>
          <div className="grid grid-cols-2 gap-3">
            <Field type="time" label="From" value={quiet.from} onChange={(from) => onChange({ ...quiet, from })} />
            <Field type="time" label="To" value={quiet.to} onChange={(to) => onChange({ ...quiet, to })} />
          </div>
          <Field
            label="Time zone"
            value={quiet.time_zone}
            suggestions={timeZones()}
            onChange={(time_zone) => onChange({ ...quiet, time_zone })}
            error={quietFault(quiet)}
            hint="What was held back comes as one digest when the quiet hours end."
            autoComplete="off"
          />
          <Choice
            label="Sent at once all the same"
            value={quiet.breaks_through === 'info' ? 'warning' : quiet.breaks_through}
            options={breaking}
            onChange={(breaks_through) => onChange({ ...quiet, breaks_through })}
          />
        </>
      )}
    </fieldset>
  );
}
