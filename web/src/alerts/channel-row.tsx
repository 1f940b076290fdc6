import { useMutation } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Pill } from '../design/pill.tsx';
import { Failure } from '../design/states.tsx';
import { providerWords, reasonWords, stateWords } from './alert-labels.ts';
import { ChangeChannelDialog } from './change-channel-dialog.tsx';
import { BoundVaults, isOn, VaultPicker } from './channel-vaults.tsx';
import { DeleteChannelDialog } from './delete-channel-dialog.tsx';
import { Deliveries } from './deliveries.tsx';
import type { Channel } from './queries.ts';
import { quietWords } from './quiet-hours-inputs.tsx';
import { useRefresh } from './use-refresh.ts';

type Props = { channel: Channel; vaults: readonly MyVault[] };

/** One channel: what it is, which vaults it reports on and how far it is on each, and what can be done with it. */
export function ChannelRow({ channel, vaults }: Props) {
  const bound = vaults.filter((vault) => isOn(channel, vault));
  const elsewhere = channel.vaults.length - bound.length;
  return (
    <li className="flex flex-col gap-3 px-4 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium wrap-anywhere">{channel.name}</span>
        {channel.is_active ? null : (
          <Pill tone={stateWords.inactive.tone} title={stateWords.inactive.meaning}>
            {stateWords.inactive.word}
          </Pill>
        )}
        <span className="text-13 wrap-anywhere text-muted">
          {[providerWords[channel.provider], channel.config.to ?? channel.config.url].filter(Boolean).join(', ')}
        </span>
      </p>
      {channel.quiet_hours === null ? null : <p className="text-13 text-muted">{quietWords(channel.quiet_hours)}</p>}
      <VaultPicker channel={channel} managed={vaults.filter(({ my_role: role }) => role !== 'view_only')} />
      {channel.vaults.length === 0 ? (
        <p className="flex items-center gap-1.5 text-13 text-brass">
          <TriangleAlert size={14} aria-hidden="true" className="shrink-0" />
          It is on no vault, so it sends no alert. Choose a vault above.
        </p>
      ) : null}
      <BoundVaults channel={channel} bound={bound} />
      {elsewhere > 0 ? (
        <p className="text-13 text-muted">
          {elsewhere === 1
            ? 'It is on one more vault, where you have no role.'
            : `It is on ${elsewhere} more vaults, where you have no role.`}
        </p>
      ) : null}
      <Actions channel={channel} vaults={vaults} />
    </li>
  );
}

function Actions({ channel, vaults }: Props) {
  const { api } = useApp();
  const refresh = useRefresh();
  const [isLogOpen, setLogOpen] = useState(false);
  const [asks, setAsks] = useState<'change' | 'delete'>();
  const { name, is_active: isActive, version } = channel;
  const params = { channel_id: channel.channel_id };
  const fire = useMutation({ mutationFn: () => api.testChannel({ params }), onSuccess: refresh });
  const turn = useMutation({
    mutationFn: () => api.changeChannel({ params, body: { version, is_active: !isActive } }),
    // Also of a refusal: somebody else may have changed it meanwhile.
    onSettled: refresh,
  });
  const turnWord = isActive ? 'Switch off' : 'Switch on';
  const close = () => setAsks(undefined);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={`Send a test to ${name}`} isDisabled={fire.isPending} onPress={() => fire.mutate()}>
          {fire.isPending ? 'Sending' : 'Send a test'}
        </Button>
        <Button
          look="quiet"
          aria-label={`Delivery log of ${name}`}
          aria-expanded={isLogOpen}
          onPress={() => setLogOpen(!isLogOpen)}
        >
          Delivery log
        </Button>
        <Button look="quiet" aria-label={`Change ${name}`} onPress={() => setAsks('change')}>
          Change
        </Button>
        <Button
          look="quiet"
          aria-label={`${turnWord} ${name}`}
          isDisabled={turn.isPending}
          onPress={() => turn.mutate()}
        >
          {turnWord}
        </Button>
        <Button look="danger" aria-label={`Delete ${name}`} onPress={() => setAsks('delete')}>
          Delete
        </Button>
        <span className="self-center text-12 text-muted">A deleted channel cannot be brought back.</span>
      </div>
      <TestResult result={fire.data} />
      {fire.isError ? <Failure error={fire.error} title="The test was not sent" /> : null}
      {turn.isError ? <Failure error={turn.error} title="The channel was not changed" /> : null}
      {isLogOpen ? <Deliveries channelId={channel.channel_id} of={name} vaults={vaults} /> : null}
      {asks === 'change' ? <ChangeChannelDialog channel={channel} onClose={close} /> : null}
      {asks === 'delete' ? <DeleteChannelDialog channel={channel} onClose={close} /> : null}
    </>
  );
}

type Result = Awaited<ReturnType<ReturnType<typeof useApp>['api']['testChannel']>>;

function TestResult({ result }: { result: Result | undefined }) {
  if (result === undefined) return null;
  const hasArrived = result.outcome === 'delivered';
  return (
    <p role="status" className={hasArrived ? 'text-13 text-accent' : 'text-13 text-danger'}>
      {hasArrived ? 'The test arrived.' : `The test did not arrive: ${reasonWords(result.reason)}.`}
    </p>
  );
}
