import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../app/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { Empty, Failure, Notice, RowSkeletons } from '../design/states.tsx';
import { formatUtc } from '../format/time.ts';
import { useViewer } from '../session/use-session.ts';
import { type Channel, channelsQuery, deliveriesQuery } from './queries.ts';

const providers = [
  { value: 'slack', label: 'Slack' },
  { value: 'webhook', label: 'Webhook' },
  { value: 'websocket', label: 'Websocket' },
] as const;
const providerWords: Record<Channel['provider'], string> = {
  slack: 'Slack',
  webhook: 'Webhook',
  websocket: 'Websocket',
};

type Vaults = readonly MyVault[];

/** Where alerts are told: channels, the vaults they are bound to, a test, and what was sent. */
export function ChannelsCard({ vaults }: { vaults: Vaults }) {
  const { api } = useApp();
  const list = useQuery(channelsQuery(api, useViewer()));
  const managed = vaults.filter(({ my_role: role }) => role !== 'view_only');
  return (
    <Card isFlush>
      <h2 className="border-b px-4 py-3 text-14 font-semibold">Channels</h2>
      {list.isError ? (
        <Failure error={list.error} title="The channels could not be read" retry={() => list.refetch()} />
      ) : null}
      {list.isPending ? <RowSkeletons rows={2} /> : null}
      {list.data?.channels.length === 0 ? (
        <Empty title="No channel">Make one below; then bind it to a vault you manage.</Empty>
      ) : null}
      <ul aria-label="Channels" className="divide-y">
        {list.data?.channels.map((channel) => (
          <ChannelRow key={channel.channel_id} channel={channel} managed={managed} />
        ))}
      </ul>
      {managed.length === 0 ? null : <NewChannel />}
    </Card>
  );
}

function ChannelRow({ channel, managed }: { channel: Channel; managed: Vaults }) {
  const { api } = useApp();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const params = { channel_id: channel.channel_id };
  const refresh = () => queries.invalidateQueries({ queryKey: ['alerts'] });
  const fire = useMutation({ mutationFn: () => api.testChannel({ params }), onSuccess: refresh });
  const remove = useMutation({ mutationFn: () => api.deleteChannel({ params }), onSuccess: refresh });
  const toggle = useMutation({
    mutationFn: ({ vault, isBound }: { vault: MyVault; isBound: boolean }) => {
      const of = { ...params, chain_id: String(vault.chain_id), vault_address: vault.vault_address };
      return isBound ? api.unbindChannel({ params: of }) : api.bindChannel({ params: of, body: {} });
    },
    onSuccess: refresh,
  });
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{channel.name}</span>
        <span className="text-13 text-muted">
          {[providerWords[channel.provider], channel.config.url].filter(Boolean).join(', ')}
        </span>
      </p>
      <div className="flex flex-wrap gap-2">
        {managed.map((vault) => {
          const isBound = channel.vaults.some(
            ({ chain_id, vault_address }) => chain_id === vault.chain_id && vault_address === vault.vault_address,
          );
          return (
            <Button
              key={`${vault.chain_id}:${vault.vault_address}`}
              look={isBound ? 'primary' : 'secondary'}
              aria-pressed={isBound}
              isDisabled={toggle.isPending}
              onPress={() => toggle.mutate({ vault, isBound })}
            >
              {vault.name}
            </Button>
          );
        })}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={`Send a test to ${channel.name}`} isDisabled={fire.isPending} onPress={() => fire.mutate()}>
          {fire.isPending ? 'Sending' : 'Send a test'}
        </Button>
        <Button look="quiet" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          Delivery log
        </Button>
        <Button
          look="danger"
          aria-label={`Delete ${channel.name}`}
          isDisabled={remove.isPending}
          onPress={() => remove.mutate()}
        >
          Delete
        </Button>
      </div>
      {fire.data === undefined ? null : (
        <p role="status" className={fire.data.outcome === 'delivered' ? 'text-13 text-accent' : 'text-13 text-danger'}>
          {fire.data.outcome === 'delivered' ? 'The test arrived.' : `The test did not arrive: ${fire.data.reason}.`}
        </p>
      )}
      {[fire, remove, toggle].map(({ error }, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: three that stay in their order.
        error === null ? null : <Failure key={index} error={error} title="That did not work" />,
      )}
      {isOpen ? <Deliveries channelId={channel.channel_id} /> : null}
    </li>
  );
}

function Deliveries({ channelId }: { channelId: string }) {
  const { api } = useApp();
  const { data, isError, error } = useQuery(deliveriesQuery(api, useViewer(), channelId));
  if (isError) return <Failure error={error} title="The log could not be read" />;
  if (data === undefined) return <RowSkeletons rows={2} />;
  if (data.deliveries.length === 0) return <p className="text-13 text-muted">Nothing was sent yet.</p>;
  return (
    <ul aria-label="Deliveries" className="flex flex-col gap-1 text-13 text-muted">
      {data.deliveries.map((item) => (
        <li key={item.delivery_id}>
          {[
            formatUtc(item.t),
            item.event_type,
            ...(item.sequence === null ? [] : [`number ${item.sequence}`]),
            `try ${item.attempt}`,
            item.outcome.replace('_', ' '),
            ...(item.reason === null ? [] : [item.reason]),
          ].join(' · ')}
        </li>
      ))}
    </ul>
  );
}

function NewChannel() {
  const { api } = useApp();
  const queries = useQueryClient();
  const [provider, setProvider] = useState<Channel['provider']>('slack');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const create = useMutation({
    mutationFn: () => api.createChannel({ body: { provider, name, config: provider === 'websocket' ? {} : { url } } }),
    onSuccess: () => {
      setName('');
      setUrl('');
      return queries.invalidateQueries({ queryKey: ['alerts'] });
    },
  });
  const isReady = name.trim() !== '' && (provider === 'websocket' || url.trim() !== '');
  return (
    <form
      className="flex flex-col gap-3 border-t p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) create.mutate();
      }}
    >
      <div className="flex flex-wrap items-end gap-2">
        <Choice label="Kind" value={provider} options={providers} onChange={setProvider} className="w-32" />
        <Field label="Name of the channel" value={name} onChange={setName} className="w-48" />
        {provider === 'websocket' ? null : (
          <Field label="URL" value={url} onChange={setUrl} mono className="min-w-64 flex-1" />
        )}
        <Button type="submit" look="primary" isDisabled={!isReady || create.isPending}>
          Make channel
        </Button>
      </div>
      {create.isError ? <Failure error={create.error} title="The channel was not made" /> : null}
      {create.data?.secret ? (
        <Notice tone="info" title="The secret of this webhook, shown once">
          <code className="font-mono text-12 break-all">{create.data.secret}</code>
        </Notice>
      ) : null}
    </form>
  );
}
