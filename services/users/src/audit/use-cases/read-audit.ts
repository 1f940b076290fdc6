import {
  AppError,
  type AuditRow,
  type ExportAudit,
  type GetAudit,
  isUnbound,
  type ListAudit,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import { type Call, cursorOf, invalidCursor, placeIn } from '@castellan/service-kit';
import type { mongo } from 'mongoose';
import type { AccessCollections } from '../../access/models/collections.ts';
import { needs, requireCaller, requireRole } from '../../access/use-cases/require-role.ts';
import { KeptAnswers, vaultSubject } from '../../kept-answers.ts';
import type { AuditLog } from '../adapters/audit-log.mongo.ts';
import { genesisHash, type StoredAuditRow } from '../domain/audit-chain.ts';

export type AuditDeps = { collections: AccessCollections; auditLog: AuditLog };

type Query = mongo.Filter<StoredAuditRow>;
type Filters = Omit<ParamsOf<typeof ExportAudit>, 'limit' | 'after'>;

/** Rows of earlier versions have no category, and count as `write`. */
export const inCategory = (category: AuditRow['category'] | undefined): Query =>
  category === undefined ? {} : { category: category === 'write' ? ({ $in: ['write', null] } as never) : category };

/** @throws AppError RANGE_REVERSED. */
function queryOf(filters: Filters): Query {
  const { vault_address, chain_id, action_type, category, actor, from_timestamp, to_timestamp } = filters;
  const [from, to] = [from_timestamp, to_timestamp].map((time) => time && new Date(time).toISOString());
  if (from && to && from > to) throw new AppError('RANGE_REVERSED', '`to_timestamp` lies before `from_timestamp`.');
  const range = { ...(from ? { $gte: from } : {}), ...(to ? { $lte: to } : {}) };
  return {
    chain_id,
    vault_address,
    ...(action_type === undefined ? {} : { action_type }),
    ...inCategory(category),
    ...(actor === undefined ? {} : { actor_wallet: actor }),
    ...(from || to ? { timestamp: range } : {}),
  };
}

/** A page behind the row it ends with, which a reader hands back as it is. */
const placeOfRow = ({ timestamp, seq }: AuditRow): string => `${timestamp} ${seq}`;

/** @throws AppError CURSOR_INVALID. */
export function afterCursor(cursor: string | undefined): Query {
  if (cursor === undefined) return {};
  const [, timestamp, seq] = placeIn(cursor, /^(\S+Z) ([1-9]\d*)$/) ?? [];
  if (timestamp === undefined) throw invalidCursor();
  return { $or: [{ timestamp: { $lt: timestamp } }, { timestamp, seq: { $lt: Number(seq) } }] };
}

/** A page stays well under the bus's largest message (1 MiB); the rest comes with the next one. */
const pageBytes = 512 * 1024;

/** The first `limit` of the rows, or as many as fit a message. */
function pageWithin(found: readonly AuditRow[], limit: number): AuditRow[] {
  let bytes = 0;
  const rows = found.slice(0, limit);
  const cut = rows.findIndex((row) => {
    bytes += Buffer.byteLength(JSON.stringify(row));
    return bytes > pageBytes;
  });
  return cut < 0 ? rows : rows.slice(0, Math.max(1, cut));
}

/** A page of rows, newest first, with what a pager needs. @param count - How many rows the query has. */
export async function pageOf(
  log: AuditLog,
  query: Query,
  { limit, offset = 0, cursor }: { limit: number; offset?: number | undefined; cursor?: string | undefined },
  count: () => Promise<number> = () => log.count(query),
) {
  const [found, total] = await Promise.all([
    log.newestFirst({ $and: [query, afterCursor(cursor)] }, offset, limit + 1),
    count(),
  ]);
  const rows = pageWithin(found, limit);
  const has_more = found.length > rows.length;
  const last = rows.at(-1);
  return { rows, total, has_more, next_cursor: has_more && last ? cursorOf(placeOfRow(last)) : null };
}

async function readAudit(log: AuditLog, params: ParamsOf<typeof ListAudit>): Promise<ResultOf<typeof ListAudit>> {
  const { limit, offset, cursor, chain_id, vault_address, ...filters } = params;
  const query = queryOf({ chain_id, vault_address, ...filters });
  const summary = log.tail.summaryOf({ chain_id, vault_address });
  const isWhole = Object.values(filters).every((filter) => filter === undefined);
  const count = isWhole ? async () => (await summary).total : undefined;
  const [{ actionTypes }, { rows, ...page }] = await Promise.all([
    summary,
    pageOf(log, query, { limit, offset, cursor }, count),
  ]);
  return { logs: rows, ...page, action_types: [...actionTypes].sort() };
}

/** Rows of a vault, newest first, for its managers. */
export const listAudit = ({ collections, auditLog }: AuditDeps) => {
  const kept = new KeptAnswers<ResultOf<typeof ListAudit>>(auditLog.tail);
  return async (params: ParamsOf<typeof ListAudit>, call: Call): Promise<ResultOf<typeof ListAudit>> => {
    const { chain_id, vault_address } = params;
    await requireRole(collections, call, { chain_id, vault_address }, needs.manager);
    return kept.get(JSON.stringify(params), [vaultSubject(params)], () => readAudit(auditLog, params));
  };
};

/** One row: for a manager of its vault, or the wallet it is about where it names no vault. */
export const getAudit =
  ({ collections, auditLog }: AuditDeps) =>
  async ({ id }: ParamsOf<typeof GetAudit>, call: Call): Promise<ResultOf<typeof GetAudit>> => {
    const wallet = requireCaller(call);
    const row = await auditLog.get(id);
    if (!row) throw new AppError('AUDIT_ROW_NOT_FOUND', 'No row of the audit log has this id.');
    const { chain_id, vault_address } = row;
    if (chain_id !== null && vault_address !== null) {
      await requireRole(collections, call, { chain_id, vault_address }, needs.manager);
      return row;
    }
    const isAbout = row.actor_wallet === wallet || row.details.wallet_address === wallet;
    if (isAbout && isUnbound(call.caller)) return row;
    throw new AppError(
      'ROLE_REQUIRED',
      'Only the wallet that this row is about can read it, with a token for all of its chains and vaults.',
    );
  };

/** Where a page of an export goes on, and where the whole of it ends: both rows of the log. */
const placeOf = (after: number, until: number): string => `${after}-${until}`;

/** @throws AppError CURSOR_INVALID. */
function placesIn(after: string): { after: number; until: number } {
  const [, from, until] = /^(\d{1,15})-(\d{1,15})$/.exec(after) ?? [];
  if (from === undefined) throw new AppError('CURSOR_INVALID', 'The export has no such page. Start it again.');
  return { after: Number(from), until: Number(until) };
}

/** Rows of a vault in the order of its chain, up to what was its last row when the export began. */
export const exportAudit =
  ({ collections, auditLog }: AuditDeps) =>
  async (params: ParamsOf<typeof ExportAudit>, call: Call): Promise<ResultOf<typeof ExportAudit>> => {
    const { after, limit, ...filters } = params;
    const vault = { chain_id: filters.chain_id, vault_address: filters.vault_address };
    await requireRole(collections, call, vault, needs.manager);
    const place = after === undefined ? undefined : placesIn(after);
    const query = queryOf(filters);
    const last = await auditLog.headOf(vault, place?.until);
    if (!last) return { head: { vault_seq: 0, hash: genesisHash }, rows: [], next: null };
    const seq = { $gt: place?.after ?? 0, $lte: last.seq };
    const found = await auditLog.oldestFirst({ ...query, seq }, limit + 1);
    const rows = pageWithin(found, limit);
    const end = rows.at(-1);
    return { head: last.head, rows, next: found.length > rows.length && end ? placeOf(end.seq, last.seq) : null };
  };
