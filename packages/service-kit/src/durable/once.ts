import type { Connection } from 'mongoose';
import { z } from 'zod';
import { defineCollection } from '../collection.ts';
import { isDuplicateKey } from '../mongo.ts';
import type { Delivery } from './handler.ts';

/** Kept until no message can come again. */
export const handledMessages = defineCollection({
  name: 'handled_messages',
  kept: 'truth',
  about: 'Messages of the bus that a group has handled.',
  shape: z.object({ _id: z.string(), expires_at: z.date() }),
  indexes: [{ keys: { expires_at: 1 }, ttlSeconds: 0 }],
});

/**
 * Skips messages that were handled before. For side effects that have no key of their own, such as a notification: a message
 * is noted after its handler succeeded, so a crash between the two repeats it, and nothing is ever left out.
 * @param options.group - Name of the durable consumer; groups do not see each other's notes.
 * @param options.keepMs - How long a message is remembered; longer than its stream keeps it.
 */
export async function oncePerMessage(
  connection: Connection,
  options: { group: string; keepMs: number; now: () => number },
): Promise<(delivery: Pick<Delivery, 'msgId'>, work: () => Promise<void>) => Promise<void>> {
  const handled = handledMessages.open(connection);
  await handled.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 });
  return async ({ msgId }, work) => {
    const _id = `${options.group}:${msgId}`;
    if (await handled.findOne({ _id })) return;
    await work();
    try {
      await handled.insertOne({ _id, expires_at: new Date(options.now() + options.keepMs) });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  };
}
