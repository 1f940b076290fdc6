import type { AuditRow, PromiseBreach } from '@castellan/contracts';
import type { ClientSession } from '@castellan/service-kit';
import type { AuditLog } from '../audit/adapters/audit-log.mongo.ts';
import type { AuditContent } from '../audit/domain/audit-chain.ts';
import { breachUndone } from '../audit/domain/voided.ts';
import type { Vault } from './stored.ts';

export type BreachLog = Pick<AuditLog, 'append' | 'oldestFirst'>;
type Identified = PromiseBreach & { breach_id: string };

const rowOf = (
  { chain_id, vault_address }: Vault,
  row: Pick<AuditContent, 'id' | 'action_type' | 'timestamp' | 'details'>,
): AuditContent => ({
  ...row,
  vault_address,
  chain_id,
  actor_wallet: null,
  tx_hash: null,
  request_id: null,
  category: 'setting',
});
const idOf = ({ breach_id }: Identified): string => `mandate-breach:${breach_id}`;
const detailsOf = ({ breach_id, promise_id, started, worst, limit, unit }: Identified) => ({
  ...{ breach_id, promise_id, limit, unit, started, worst },
});

export const startedRow = (vault: Vault, breach: Identified): AuditContent =>
  rowOf(vault, {
    id: `${idOf(breach)}:started`,
    action_type: 'mandate_breached',
    timestamp: breach.started.time,
    details: detailsOf(breach),
  });

/** @param generation - One that was undone comes back under another projection as a row of its own. */
export const endedRow = (
  vault: Vault,
  breach: Identified,
  ended: NonNullable<PromiseBreach['ended']>,
  generation: number,
): AuditContent =>
  rowOf(vault, {
    id: `${idOf(breach)}:ended:${ended.block_number}:${generation}`,
    action_type: 'mandate_breach_ended',
    timestamp: ended.time,
    details: { ...detailsOf(breach), ended },
  });

const written = (log: BreachLog, { chain_id, vault_address }: Vault, { breach_id }: Identified): Promise<AuditRow[]> =>
  log.oldestFirst({
    ...{ chain_id, vault_address, 'details.breach_id': breach_id },
    action_type: { $in: ['mandate_breached', 'mandate_breach_ended'] },
  });

/** Appends the row that makes others void. Its time is that of the last of them: nobody knows when the chain was reorganised. */
async function appendUndone(
  log: BreachLog,
  vault: Vault,
  { id, breach, rows }: { id: string; breach: Identified; rows: readonly AuditRow[] },
  session: ClientSession,
): Promise<void> {
  if (rows.length === 0) return;
  const { breach_id, promise_id } = breach;
  const row = rowOf(vault, {
    id: `${idOf(breach)}:${id}`,
    action_type: id === 'undone' ? breachUndone.breach : breachUndone.end,
    timestamp: rows.reduce((latest, { timestamp }) => (timestamp > latest ? timestamp : latest), ''),
    details: { breach_id, promise_id, voided: rows.map((each) => each.id) },
  });
  await log.append(row, session);
}

/** Says in the audit log that a reorganisation undid the breach: its beginning and end are void. @returns what writes it. */
export async function undoing(log: BreachLog, vault: Vault, breach: Identified) {
  const rows = await written(log, vault, breach);
  return (session: ClientSession) => appendUndone(log, vault, { id: 'undone', breach, rows }, session);
}

/** The same of its end alone, which the projection of the generation does not have there any more. */
export async function undoingEnd(log: BreachLog, vault: Vault, breach: Identified, generation: number) {
  const ends = (await written(log, vault, breach)).filter(({ action_type }) => action_type === 'mandate_breach_ended');
  const id = `end-undone:${breach.ended?.block_number}:${generation}`;
  return (session: ClientSession) => appendUndone(log, vault, { id, breach, rows: ends.slice(-1) }, session);
}
