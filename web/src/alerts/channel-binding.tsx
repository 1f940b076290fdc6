import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Pill } from '../design/pill.tsx';
import { Failure, RowSkeletons } from '../design/states.tsx';
import { formatCounted } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useViewer } from '../session/use-session.ts';
import { stateWords } from './alert-labels.ts';
import { type Binding, bindingsQuery, type Channel } from './queries.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { useRefresh } from './use-refresh.ts';

type Props = { channel: Channel; vault: MyVault };

/** How far a channel has come with the alerts of one vault. */
export function ChannelBinding({ channel, vault }: Props) {
  const { api } = useApp();
  const list = useQuery(bindingsQuery(api, useViewer(), vault.chain_id, vault.vault_address));
  const binding = list.data?.channels.find((each) => each.channel.channel_id === channel.channel_id);
  // Taken away meanwhile; the list of channels says so with its next answer.
  if (list.data !== undefined && binding === undefined) return null;
  return (
    <li className="flex flex-col gap-2 rounded-card border bg-raised p-3">
      {binding === undefined ? <p className="text-13 font-medium">{vault.name}</p> : null}
      <ReadTrouble of={list} what="How far the channel is" />
      {list.isPending ? <RowSkeletons rows={1} /> : null}
      {binding === undefined ? null : <Progress binding={binding} vault={vault} />}
      {binding === undefined || vault.my_role === 'view_only' ? null : <Actions binding={binding} vault={vault} />}
    </li>
  );
}

const waitingWords = (count: number): string => formatCounted(count, 'event waits', 'events wait');

const heldWords = (count: number): string => formatCounted(count, 'event is held back', 'events are held back');

function Progress({ binding, vault }: { binding: Binding; vault: MyVault }) {
  const { tone, word, meaning } = stateWords[binding.state];
  const { waiting, last_delivered_at: last, next_attempt_at: next, head_sequence: head } = binding;
  const parts = [
    ...(waiting === 0 ? [] : [`${waitingWords(waiting)}, from number ${binding.next_sequence} to ${head}`]),
    ...(binding.held_back === 0 ? [] : [`${heldWords(binding.held_back)} until the quiet hours are over`]),
    last === null ? 'Nothing was delivered yet' : `Last delivered ${formatUtc(last)}`,
    ...(next === null || binding.state === 'inactive' ? [] : [`Next try ${formatUtc(next)}`]),
  ];
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <span className="text-13 font-medium">{vault.name}</span>
        <Pill tone={tone}>{word}</Pill>
        <span className="text-13 text-muted">{meaning}</span>
      </p>
      <p className="text-12 text-muted tabular-nums">{parts.join(' · ')}</p>
    </>
  );
}

const severities = [
  { value: 'info', label: 'All alerts' },
  { value: 'warning', label: 'Warning and critical' },
  { value: 'critical', label: 'Critical only' },
] as const;

const receiving = [
  { value: 'all', label: 'Each step of an alert' },
  { value: 'escalations', label: 'Escalations only' },
] as const;

function Actions({ binding, vault }: { binding: Binding; vault: MyVault }) {
  const { api } = useApp();
  const refresh = useRefresh();
  const [isReplaying, setReplaying] = useState(false);
  const { channel } = binding;
  const { chain_id, vault_address } = vault;
  const params = { chain_id: String(chain_id), vault_address, channel_id: channel.channel_id };
  const retry = useMutation({ mutationFn: () => api.redeliverChannel({ params }), onSuccess: refresh });
  const filter = useMutation({
    mutationFn: (change: Partial<Pick<Binding, 'min_severity' | 'receives'>>) =>
      api.bindChannel({ params, body: { min_severity: binding.min_severity, ...change } }),
    onSuccess: refresh,
  });
  const of = `${channel.name} on ${vault.name}`;
  return (
    <>
      <div className="flex flex-wrap items-end gap-2">
        {/* A webhook counts what it gets, so everything is sent to it. */}
        {channel.provider === 'webhook' ? null : (
          <Choice
            label={`Alerts of ${vault.name} for ${channel.name}`}
            value={binding.min_severity}
            options={severities}
            onChange={(min_severity) => filter.mutate({ min_severity })}
            className="min-w-52"
          />
        )}
        {channel.provider === 'webhook' ? null : (
          <Choice
            label={`What ${channel.name} gets of ${vault.name}`}
            value={binding.receives}
            options={receiving}
            onChange={(receives) => filter.mutate({ receives })}
            className="min-w-52"
          />
        )}
        {binding.waiting > 0 && channel.is_active ? (
          <Button aria-label={`Try now: ${of}`} isDisabled={retry.isPending} onPress={() => retry.mutate()}>
            {retry.isPending ? 'Trying' : 'Try now'}
          </Button>
        ) : null}
        {binding.head_sequence > 0 ? (
          <Button look="quiet" aria-label={`Deliver again: ${of}`} onPress={() => setReplaying(true)}>
            Deliver again
          </Button>
        ) : null}
      </div>
      {retry.isError ? <Failure error={retry.error} title="It was not tried" /> : null}
      {filter.isError ? <Failure error={filter.error} title="It sends the same alerts as before" /> : null}
      {isReplaying ? <ReplayDialog binding={binding} vault={vault} onClose={() => setReplaying(false)} /> : null}
    </>
  );
}
