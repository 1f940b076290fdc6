import { type EventData, SessionRevoked, SessionStream } from '@castellan/contracts';
import { type DurableBus, type Following, followStream, hearEvent } from '@castellan/service-kit';
import type { Revocations } from './revocations.ts';

/**
 * Keeps the ended sessions up to date, from the stream's beginning, and hears of each that ends now without waiting for the stream.
 * `caughtUp`: every published one is known.
 */
export async function followRevocations(bus: DurableBus, revocations: Pick<Revocations, 'add'>): Promise<Following> {
  const take = ({ sid, expires_at }: EventData<typeof SessionRevoked>) => revocations.add(sid, Date.parse(expires_at));
  const followed = await followStream(bus, {
    stream: SessionStream,
    events: [SessionRevoked],
    from: 'start',
    onMessage: ({ data }) => take(data as EventData<typeof SessionRevoked>),
  });
  const heard = hearEvent(bus, SessionRevoked, take);
  return {
    caughtUp: followed.caughtUp,
    stop: async () => {
      await heard.stop();
      await followed.stop();
    },
  };
}
