import { defineCollection } from '@castellan/service-kit';
import { z } from 'zod';

export const minuteCounts = defineCollection({
  name: 'nonce_quotas',
  kept: 'transient',
  about: 'How often something was done in one minute; `_id` is `<what and who>:<minute>`.',
  shape: z.object({ _id: z.string(), count: z.number(), expires_at: z.date() }),
  indexes: [{ keys: { expires_at: 1 }, ttlSeconds: 60 }],
});
