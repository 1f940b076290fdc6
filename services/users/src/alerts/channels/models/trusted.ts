import { alertSeverities } from '@castellan/contracts';
import { z } from 'zod';
import type { StoredBinding, StoredChannel, StoredDelivery } from './collections.ts';

/** Documents are checked as they are read: others may be able to write to the store, and what is malformed must stop nothing. */

const wallet = z.string().regex(/^0x[0-9a-f]{40}$/);
const count = z.number().int().min(0);

const Channel = z.object({
  channel_id: z.string().min(1),
  owner: wallet,
  provider: z.enum(['webhook', 'slack', 'websocket']),
  name: z.string(),
  sealed: z.string(),
  origin: z.string().nullable(),
  is_active: z.boolean(),
  created_at: z.date(),
  updated_at: z.date(),
  version: count,
});

/** Roles are asked for `vault_address`, events are read of `vault`: they must be one vault. */
const Binding = z
  .object({
    channel_id: z.string().min(1),
    chain_id: count,
    vault: wallet,
    vault_address: z.string(),
    min_severity: z.enum(alertSeverities),
    bound_by: wallet,
    bound_at: z.date(),
    next_sequence: count,
    failures: count,
    due_at: z.date(),
    last_delivered_at: z.date().nullable(),
    revision: count,
  })
  .refine(({ vault, vault_address }) => vault_address.toLowerCase() === vault);

export const isChannel = (document: StoredChannel): boolean => Channel.safeParse(document).success;
export const isBinding = (document: StoredBinding): boolean => Binding.safeParse(document).success;
export const isDelivery = ({ t, delivery_id }: StoredDelivery): boolean =>
  t instanceof Date && typeof delivery_id === 'string';

/** Logs and counts a stored document that was not taken. */
export type Distrust = (collection: string, id: unknown) => void;
