import { DisplayName } from '@castellan/contracts';
import { useMutation } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { ChangedMeanwhile } from '../design/changed-meanwhile.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field } from '../design/field.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { useBegun } from '../design/use-begun.ts';
import { type ConfigDraft, configOf, emptyConfig, NewConfigInputs } from './channel-inputs.tsx';
import type { Channel } from './queries.ts';
import { canBeQuiet, type QuietHours, QuietHoursInputs, quietFault, quietWords } from './quiet-hours-inputs.tsx';
import { useRefresh } from './use-refresh.ts';

type Props = { channel: Channel; onClose: () => void };
type Draft = { name: string; config: ConfigDraft; quiet: QuietHours | null };

const SHORTEST_SECRET = 24;
const LONGEST_SECRET = 256;

const nameFault = (name: string): string | undefined => {
  const parsed = DisplayName.safeParse(name);
  return parsed.success ? undefined : `A name ${parsed.error.issues[0]?.message ?? 'is needed'}`;
};
const secretFault = (secret: string): string | undefined =>
  secret === '' || (secret.length >= SHORTEST_SECRET && secret.length <= LONGEST_SECRET)
    ? undefined
    : `${SHORTEST_SECRET} to ${LONGEST_SECRET} characters`;

const draftOf = ({ name, quiet_hours }: Channel): Draft => ({ name, config: emptyConfig, quiet: quiet_hours });

/** What the draft changes; undefined while something in it cannot be. */
function changeOf(channel: Channel, draft: Draft) {
  const { name, quiet } = draft;
  if (quietFault(quiet) !== undefined) return undefined;
  if (nameFault(name) !== undefined || secretFault(draft.config.secret) !== undefined) return undefined;
  const config = configOf(channel.provider, draft.config);
  return {
    ...(name.trim() === channel.name ? {} : { name: name.trim() }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(JSON.stringify(quiet) === JSON.stringify(channel.quiet_hours) ? {} : { quiet_hours: quiet }),
  };
}

/** Renames a channel or changes its address. URL and secret are never shown: they are typed anew or stay. */
export function ChangeChannelDialog({ channel, onClose }: Props) {
  const { api } = useApp();
  const refresh = useRefresh();
  const form = useBegun(channel, ({ version }) => version, draftOf);
  const { draft, change: setDraft, begun, isOutdated } = form;
  const change = changeOf(begun, draft);
  const isReady = change !== undefined && Object.keys(change).length > 0;
  const save = useMutation({
    mutationFn: () =>
      api.changeChannel({
        params: { channel_id: channel.channel_id },
        body: { version: begun.version, ...change },
      }),
    onSuccess: () => {
      toast({ tone: 'info', title: `${draft.name.trim()} was saved` });
      onClose();
    },
    // Also of a refusal: somebody else may have changed it meanwhile.
    onSettled: refresh,
  });
  return (
    <Dialog title={`Change ${channel.name}`} isOpen onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !isOutdated) save.mutate();
        }}
      >
        <Inputs channel={channel} draft={draft} onChange={setDraft} />
        {save.isError && !isOutdated ? <Failure error={save.error} title="The channel was not changed" /> : null}
        <ChangedMeanwhile of={form} what="the channel" onDecided={save.reset}>
          {`Theirs: ${channel.name}${channel.config.url === null ? '' : `, ${channel.config.url}`}${channel.quiet_hours === null ? '' : `; ${quietWords(channel.quiet_hours)}`}.`}
        </ChangedMeanwhile>
        <span className="flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>Leave it</Button>
          <Button type="submit" look="primary" isDisabled={!isReady || save.isPending || isOutdated}>
            {save.isPending ? 'Saving' : 'Save channel'}
          </Button>
        </span>
      </form>
    </Dialog>
  );
}

type InputsProps = { channel: Channel; draft: Draft; onChange: (draft: Draft) => void };

function Inputs({ channel, draft, onChange }: InputsProps) {
  return (
    <>
      <Field
        label="Name"
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
        error={nameFault(draft.name)}
        autoComplete="off"
        autoFocus
      />
      <NewConfigInputs
        channel={channel}
        config={draft.config}
        onChange={(config) => onChange({ ...draft, config })}
        faults={{ secret: secretFault(draft.config.secret) }}
      />
      {canBeQuiet(channel) ? (
        <QuietHoursInputs quiet={draft.quiet} onChange={(quiet) => onChange({ ...draft, quiet })} />
      ) : null}
    </>
  );
}
