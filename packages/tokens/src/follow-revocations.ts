import { type EventData, SessionRevoked, SessionStream } from '@castellan/contracts';
import { type DurableBus, type Following, followStream } from '@castellan/service-kit';
import type { Revocations } from './revocations.ts';

/** Keeps the ended sessions up to date, from the stream's beginning. `caughtUp`: every published one is known. */
export const followRevocations = (bus: DurableBus, revocations: Pick<Revocations, 'add'>): Promise<Following> =>
  followStream(bus, {
    stream: SessionStream,
    events: [SessionRevoked],
    from: 'start',
    onMessage: ({ data }) => {
      const { sid, expires_at } = data as EventData<typeof SessionRevoked>;
      revocations.add(sid, Date.parse(expires_at));
    },
  });
