import { Hash, IsoTime, RoundFinished } from '@castellan/contracts';
import { z } from 'zod';
import type { Distrust } from './transmissions.mongo.ts';

/** Whether a document of a collection is sound; of one that is not, says so. */
export const soundBy =
  (distrust: Distrust) =>
  (collection: string, shape: z.ZodType) =>
  (document: { _id: unknown }): boolean => {
    if (shape.safeParse(document).success) return true;
    distrust(collection, document._id);
    return false;
  };

/** A time that can be answered. */
const Time = z.date().refine((time) => IsoTime.safeParse(time.toISOString()).success);

export const Round = RoundFinished.data
  .pick({ epoch: true, round: true, leader: true, outcome: true, prices: true, observers: true, signers: true })
  .extend({ digest: z.string(), finished_at: Time });
/** One that is answered with its configuration. */
export const RecordedRound = Round.extend({ digest: Hash });

const Index = z.int().nonnegative();
export const Mark = z.object({
  _id: z.string().regex(/^0x[0-9a-f]{64}:[0-9]{1,15}:[0-9]{1,15}$/),
  started_at: Time,
  leader: Index.nullish(),
  dropped: z.array(z.object({ observer: Index, reason: z.string() })).optional(),
});

const Pace = z.number().nonnegative();
export const Membership = z.object({
  oracles: z.array(z.object({ index: Index, signer: z.string(), transmitter: z.string() })),
  round_seconds: Pace,
  heartbeat_seconds: Pace,
});
export const Node = z.object({
  _id: z.string(),
  digest: z.string().nullable(),
  node_index: z.int().nullable(),
  last_seen: z.date(),
});
