import { Readable } from 'node:stream';
import { AuditRow, ExportAudit, ExportPage, type InputOf, type ResultOf } from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import type { Cast } from 'csv-stringify';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply } from 'fastify';

type Page = ResultOf<typeof ExportPage>;
type AuditPage = ResultOf<typeof ExportAudit>;
export type Format = 'csv' | 'json' | 'ndjson';

const medias: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/**
 * Rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula is escaped; figures are not, or a loss would become
 * text.
 */
function csvOf({ columns, rows }: Pick<Page, 'columns' | 'rows'>, header: boolean): string {
  const cast: Cast<string> = (value, { index, header: isHeader }) =>
    isHeader || typeof index !== 'number' || columns[index]?.type === 'text'
      ? value
      : { value, escape_formulas: false };
  return stringify(rows, {
    header,
    columns: columns.map(({ name }) => name),
    escape_formulas: true,
    record_delimiter: 'windows',
    cast: { string: cast, number: (value, context) => cast(String(value), context) },
  });
}

/** Rows as JSON; with `receipts` those of their figures, where they were asked for. */
const objects = ({ columns, rows, receipts }: Page): string[] =>
  rows.map((row, at) => {
    const cells = Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]));
    return JSON.stringify(receipts ? { ...cells, receipts: receipts[at] } : cells);
  });

/** One page in the asked format; `isFirst` and `isLast` place the header and the footer. */
function chunkOf(format: Format, page: Page, isFirst: boolean): string {
  const isLast = page.next === null;
  if (format === 'csv') return csvOf(page, isFirst);
  const lines = objects(page);
  if (format === 'ndjson') return lines.map((line) => `${line}\n`).join('');
  const separator = isFirst || lines.length === 0 ? '' : ',\n';
  return `${isFirst ? '[' : ''}${separator}${lines.join(',\n')}${isLast ? ']\n' : ''}`;
}

type Pages<P> = {
  first: P;
  after: (next: string) => Promise<P>;
  chunkOf: (page: P, isFirst: boolean) => string;
  format: Format;
  /** Of the file, without its ending. */
  name: string;
  headers: Readonly<Record<string, string>>;
};

/**
 * Streams a file page by page: at no time more than one page is held. The first page was read before anything is sent, so that
 * a refusal is a proper answer; what fails later breaks the connection off, and no file that is cut short looks whole.
 */
function sendPages<P extends { next: string | null }>(reply: FastifyReply, pages: Pages<P>): FastifyReply {
  async function* chunks() {
    let page = pages.first;
    yield pages.chunkOf(page, true);
    while (page.next !== null) {
      page = await pages.after(page.next);
      yield pages.chunkOf(page, false);
    }
  }
  return reply
    .type(medias[pages.format])
    .header('content-disposition', `attachment; filename="${pages.name}.${pages.format}"`)
    .header('cache-control', 'private, no-store')
    .headers(pages.headers)
    .send(Readable.from(chunks(), { objectMode: false }));
}

/** A dataset of a vault. */
export async function sendExport(
  callAction: Call['callAction'],
  reply: FastifyReply,
  params: InputOf<typeof ExportPage>,
  format: Format,
): Promise<FastifyReply> {
  const first = await callAction(ExportPage, params);
  return sendPages(reply, {
    first,
    after: (next) => callAction(ExportPage, { ...params, after: next }),
    chunkOf: (page, isFirst) => chunkOf(format, page, isFirst),
    format,
    name: `${params.vault_address}-${params.dataset}-${first.block_number}`,
    headers: { 'x-block-number': String(first.block_number) },
  });
}

const auditFigures: readonly string[] = ['seq', 'vault_seq', 'chain_id'];
const auditFields = Object.keys(AuditRow.shape) as (keyof AuditRow)[];
const auditColumns = auditFields.map((name) => ({
  name,
  type: auditFigures.includes(name) ? ('integer' as const) : ('text' as const),
}));

/** A row for a sheet: `details` as JSON. */
const auditCells = (row: AuditRow): (string | number | null)[] =>
  auditFields.map((name) => (name === 'details' ? JSON.stringify(row.details) : row[name]));

/** One page of the audit log. The verifier holds a file to this layout, so that no byte of it can go missing. */
function auditChunk(format: Format, head: object, { rows, next }: AuditPage, isFirst: boolean): string {
  if (format === 'csv') return csvOf({ columns: auditColumns, rows: rows.map(auditCells) }, isFirst);
  const lines = rows.map((row) => JSON.stringify(row));
  if (format === 'ndjson') return [...(isFirst ? [JSON.stringify(head)] : []), ...lines].map((l) => `${l}\n`).join('');
  const opening = isFirst ? `${JSON.stringify(head).slice(0, -1)},"rows":[\n` : '';
  const separator = isFirst || lines.length === 0 ? '' : ',\n';
  return `${opening}${separator}${lines.join(',\n')}${next === null ? '\n]}\n' : ''}`;
}

/** The audit log of a vault, with what is needed to verify it by itself. */
export async function sendAuditExport(
  callAction: Call['callAction'],
  reply: FastifyReply,
  params: InputOf<typeof ExportAudit>,
  format: Format,
  now: Date,
): Promise<FastifyReply> {
  const { vault_address, chain_id, ...filters } = params;
  const first = await callAction(ExportAudit, params);
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  const head = {
    vault_address,
    chain_id,
    exported_at: now.toISOString(),
    ...(isFiltered ? { filters } : {}),
    head: first.head,
  };
  return sendPages(reply, {
    first,
    after: (next) => callAction(ExportAudit, { ...params, after: next }),
    chunkOf: (page, isFirst) => auditChunk(format, head, page, isFirst),
    format,
    name: `${vault_address}-audit-${first.head.vault_seq}`,
    headers: { 'x-audit-head': first.head.hash },
  });
}
