import {
  type EventData,
  ProjectionMoved,
  ProjectionStream,
  RoleStream,
  RolesChanged,
  UpdateStream,
  VaultUpdate,
  VaultUpdated,
} from '@castellan/contracts';
import { type DurableBus, type Following, followStream, hearEvent, streamNameOf } from '@castellan/service-kit';
import { followRevocations } from '@castellan/tokens';
import { z } from 'zod';
import type { AppPorts } from './app.ts';
import { type NamedUpdate, projectionMoved, rolesChanged, vaultChanged, vaultKeyOf } from './http/shared-reads.ts';
import type { Streams } from './live/send-and-resume.ts';

/** What has to be known of each update; of most vaults nobody has a stream open. */
const updateName = VaultUpdate.pick({ chain_id: true, vault_address: true, kind: true, block_number: true }).extend({
  detail: z.unknown().optional(),
  entry: z.unknown().optional(),
});

type Ports = Pick<AppPorts, 'revocations' | 'feed' | 'snapshots' | 'config' | 'log' | 'now'>;

/** Ended sessions from the stream's beginning, and the last minutes of updates; resolves once both are known. */
export async function followStreams(
  durable: DurableBus,
  ports: Ports,
  streams: Pick<Streams, 'rolesChanged'>,
): Promise<Following[]> {
  const { revocations, feed, snapshots, config, log, now } = ports;
  const sessions = await followRevocations(durable, revocations);
  const { state } = await durable.manager.streams.info(streamNameOf(durable.namespace, UpdateStream));
  let isFirst = true;
  const updates = await followStream(durable, {
    stream: UpdateStream,
    events: [VaultUpdated],
    // Our clock may be ahead of the bus: what comes after the last message of now is always read.
    from: new Date(Math.min(now() - config.streams.keepSeconds * 1000, Date.parse(state.last_ts))),
    part: updateName,
    onMessage: ({ data, whole, seq }) => {
      // What came before the first of these is older than we keep, so from there on nothing is missing.
      if (isFirst) feed.startAfter(seq - 1);
      isFirst = false;
      const update = data as NamedUpdate;
      vaultChanged(snapshots, update);
      feed.push(vaultKeyOf(update), seq, update, whole);
    },
    onGap: () => {
      snapshots.invalidateAll();
      feed.missed();
    },
  });
  const moves = await followStream(durable, {
    stream: ProjectionStream,
    events: [ProjectionMoved],
    from: 'end',
    onMessage: ({ data }) => projectionMoved(snapshots, data as EventData<typeof ProjectionMoved>),
    onGap: snapshots.invalidateAll,
  });
  const takeRoles = (change: EventData<typeof RolesChanged>) => {
    rolesChanged(snapshots, change);
    streams.rolesChanged(change).catch((error: Error) => {
      log.error('could not recheck the roles of live streams', { error });
    });
  };
  const roles = await followStream(durable, {
    stream: RoleStream,
    events: [RolesChanged],
    from: 'end',
    onMessage: ({ data }) => takeRoles(data as EventData<typeof RolesChanged>),
    onGap: snapshots.invalidateAll,
  });
  const heardRoles = hearEvent(durable, RolesChanged, takeRoles);
  await Promise.all([sessions.caughtUp, updates.caughtUp]);
  if (isFirst) feed.startAfter(state.last_seq);
  isFirst = false;
  return [sessions, updates, moves, heardRoles, roles];
}
