import { useQuery } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Card } from '../design/card.tsx';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useViewer } from '../session/use-session.ts';
import { ChannelRow } from './channel-row.tsx';
import { NewChannel } from './new-channel.tsx';
import { channelsQuery } from './queries.ts';

/** Where alerts are sent: channels, the vaults they are bound to, a test, and what was sent. */
export function ChannelsCard({ vaults }: { vaults: readonly MyVault[] }) {
  const { api } = useApp();
  const list = useQuery(channelsQuery(api, useViewer()));
  const isManager = vaults.some(({ my_role: role }) => role !== 'view_only');
  return (
    <Card isFlush>
      <h2 className="border-b px-4 py-3 text-14 font-semibold">Channels</h2>
      <ReadTrouble of={list} what="The channels" />
      {list.isPending ? <RowSkeletons rows={2} /> : null}
      {list.data?.channels.length === 0 ? (
        <Empty title="No channel">
          {isManager
            ? 'Create one below, then choose the vaults it reports on.'
            : 'Channels are made by managers of a vault.'}
        </Empty>
      ) : null}
      <ul aria-label="Channels" className="divide-y">
        {list.data?.channels.map((channel) => (
          <ChannelRow key={channel.channel_id} channel={channel} vaults={vaults} />
        ))}
      </ul>
      {isManager ? <NewChannel /> : null}
    </Card>
  );
}
