import { Readable } from 'node:stream';
import { ExportPage, type InputOf, type ResultOf } from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import type { Cast } from 'csv-stringify';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply } from 'fastify';

type Page = ResultOf<typeof ExportPage>;
type Params = InputOf<typeof ExportPage>;
type Format = 'csv' | 'json' | 'ndjson';

const medias: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/**
 * Rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula is escaped; figures are not, or a loss would become
 * text.
 */
function csvOf({ columns, rows }: Page, header: boolean): string {
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

const objects = ({ columns, rows }: Page): string[] =>
  rows.map((row) => JSON.stringify(Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))));

/** One page in the asked format; `isFirst` and `isLast` place what stands around the rows. */
function chunkOf(format: Format, page: Page, isFirst: boolean): string {
  const isLast = page.next === null;
  if (format === 'csv') return csvOf(page, isFirst);
  const lines = objects(page);
  if (format === 'ndjson') return lines.map((line) => `${line}\n`).join('');
  const separator = isFirst || lines.length === 0 ? '' : ',\n';
  return `${isFirst ? '[' : ''}${separator}${lines.join(',\n')}${isLast ? ']\n' : ''}`;
}

/**
 * Streams a dataset page by page: at no time more than one page is held. The first page is read before anything is sent, so that
 * a refusal is a proper answer; what fails later breaks the connection off, and no file that is cut short looks whole.
 */
export async function sendExport(
  callAction: Call['callAction'],
  reply: FastifyReply,
  params: Params,
  format: Format,
): Promise<FastifyReply> {
  const first = await callAction(ExportPage, params);
  async function* chunks() {
    let page = first;
    yield chunkOf(format, page, true);
    while (page.next !== null) {
      page = await callAction(ExportPage, { ...params, after: page.next });
      yield chunkOf(format, page, false);
    }
  }
  const name = `${params.vault_address}-${params.dataset}-${first.block_number}.${format}`;
  return reply
    .type(medias[format])
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'private, no-store')
    .header('x-block-number', String(first.block_number))
    .send(Readable.from(chunks(), { objectMode: false }));
}
