import {
  type EventData,
  ProjectionMoved,
  ProjectionStream,
  RoleStream,
  RolesChanged,
  UpdateStream,
  VaultUpdated,
} from '@castellan/contracts';
import { type DurableBus, type Following, followStream, streamNameOf } from '@castellan/service-kit';
import { followRevocations } from '@castellan/tokens';
import type { AppPorts } from './app.ts';
import { projectionMoved, rolesChanged, vaultChanged, vaultKeyOf } from './http/shared-reads.ts';
import type { Streams } from './live/send-and-resume.ts';

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
    onMessage: ({ data, seq }) => {
      // What came before the first of these is older than we keep, so from there on nothing is missing.
      if (isFirst) feed.startAfter(seq - 1);
      isFirst = false;
      const update = data as EventData<typeof VaultUpdated>;
      vaultChanged(snapshots, update);
      feed.push(vaultKeyOf(update), seq, update);
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
  const roles = await followStream(durable, {
    stream: RoleStream,
    events: [RolesChanged],
    from: 'end',
    onMessage: ({ data }) => {
      const change = data as EventData<typeof RolesChanged>;
      rolesChanged(snapshots, change);
      streams.rolesChanged(change).catch((error: Error) => {
        log.error('could not recheck the roles of live streams', { error });
      });
    },
    onGap: snapshots.invalidateAll,
  });
  await Promise.all([sessions.caughtUp, updates.caughtUp]);
  if (isFirst) feed.startAfter(state.last_seq);
  isFirst = false;
  return [sessions, updates, moves, roles];
}
