import { backups } from './backups.ts';
import { schemaVersions } from './collection.ts';
import { handledMessages } from './durable/once.ts';
import { outboxEvents, outboxOrder } from './durable/record.ts';
import { leases } from './fenced-lease.ts';
import { restores } from './restores.ts';

/** The collections of the kit, which any service's database may have. */
export const ownCollections = [
  backups,
  handledMessages,
  leases,
  outboxEvents,
  outboxOrder,
  restores,
  schemaVersions,
] as const;
