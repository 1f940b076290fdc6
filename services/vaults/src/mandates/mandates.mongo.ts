import { type EventData, MandateDocument, type MandateEnforced } from '@castellan/contracts';
import { type DocumentOf, defineCollection, isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const mandatesInForce = defineCollection({
  name: 'mandates_in_force',
  kept: 'truth',
  about: 'The mandate in force of a vault, as the users service published it.',
  shape: z.object({
    /** `<chain_id>:<vault in lower case>`. */
    _id: z.string(),
    version: z.number(),
    document: z.custom<MandateDocument>(),
  }),
});
type Stored = DocumentOf<typeof mandatesInForce>;

/** What this service knows of mandates. */
export type Mandates = {
  /** Of two versions the newer counts, whichever comes first. */
  enforced(event: EventData<typeof MandateEnforced>): Promise<void>;
  inForce(chainId: number, vault: string): Promise<MandateInForce>;
};

/**
 * The mandate in force; null where the vault has none. `unreadable`: there is one, which this version does not understand, as a newer
 * one stored it. What a mandate could refuse is then refused.
 */
export type MandateInForce = MandateDocument | 'unreadable' | null;

/** The mandate for what only shows or narrows by it. */
export const readable = (mandate: MandateInForce): MandateDocument | null =>
  mandate === 'unreadable' ? null : mandate;

const idOf = (chainId: number, vault: string): string => `${chainId}:${vault.toLowerCase()}`;

export function mongoMandates(connection: Connection, distrust: (id: unknown) => void): Mandates {
  const stored = mandatesInForce.open(connection);
  return {
    async enforced({ chain_id, vault_address, version, document }) {
      const _id = idOf(chain_id, vault_address);
      const newer = { version, document } satisfies Omit<Stored, '_id'>;
      try {
        await stored.updateOne({ _id, version: { $lt: version } }, { $set: newer }, { upsert: true });
      } catch (error) {
        // An older or equal version meets the document that it does not match.
        if (!isDuplicateKey(error)) throw error;
      }
    },
    async inForce(chainId, vault) {
      const _id = idOf(chainId, vault);
      const found = await stored.findOne({ _id });
      if (!found) return null;
      const read = MandateDocument.safeParse(found.document);
      if (read.success) return read.data;
      distrust(_id);
      return 'unreadable';
    },
  };
}
