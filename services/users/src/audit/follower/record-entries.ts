import type { AuditRow, LogEntry } from '@castellan/contracts';
import { sendersIn } from '@castellan/log-follower';
import type { AuditLog } from '../adapters/audit-log.mongo.ts';
import { categoryOf, chainIdPrefix, rowOfEntry, rowsOfRollback } from '../domain/chain-events.ts';
import { rolledBack, voidedBy } from '../domain/voided.ts';

/** Rows of the chain that the rollback makes void: of its blocks, written before it, and not void already. */
async function rowsVoidedBy(log: AuditLog, { chain_id, seq, block_number }: LogEntry): Promise<AuditRow[]> {
  const [rows, rollbacks] = await Promise.all([
    log.oldestFirst({ chain_id, 'details.block_number': { $gte: block_number } }),
    log.oldestFirst({ chain_id, action_type: rolledBack }),
  ]);
  const prefix = chainIdPrefix(chain_id);
  const own = `${prefix}${seq}:`;
  const isVoid = new Set(rollbacks.filter(({ id }) => !id.startsWith(own)).flatMap(voidedBy));
  return rows.filter(({ id }) => id.startsWith(prefix) && Number(id.slice(prefix.length)) < seq && !isVoid.has(id));
}

/** Appends the rows of the entries, in their order. Doing it again, after a crash or at the same time, changes nothing. */
export async function recordEntries(log: AuditLog, entries: readonly LogEntry[]): Promise<void> {
  const senders = sendersIn(entries);
  for (const entry of entries) {
    if (entry.kind === 'rollback') {
      for (const row of rowsOfRollback(entry, await rowsVoidedBy(log, entry))) await log.append(row);
      continue;
    }
    const category = categoryOf(entry);
    if (category) await log.append(rowOfEntry(entry, category, senders.get(entry.tx_hash ?? '') ?? null));
  }
}
