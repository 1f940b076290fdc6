import { AuditRow, type ExportAudit, type ResultOf } from '@castellan/contracts';
import { z } from 'zod';

/** The file cannot be read as an export of the audit log. */
export class Unreadable extends Error {}

type Head = ResultOf<typeof ExportAudit>['head'];

/** What an export says of itself besides its rows. `filters` is there when it leaves rows out. */
type Opening = {
  vault_address: string;
  chain_id: number;
  exported_at: string;
  filters?: Record<string, unknown> | undefined;
  head: Head;
};
export type ExportFile = { opening: Opening; rows: AuditRow[]; text: string; written: string };

const row = z.strictObject(AuditRow.shape);
const opening = z.strictObject({
  vault_address: AuditRow.shape.vault_address.unwrap(),
  chain_id: AuditRow.shape.chain_id.unwrap(),
  exported_at: z.iso
    .datetime()
    .refine((time) => new Date(time).toISOString() === time, 'is not as an export writes it'),
  filters: z.record(z.string(), z.unknown()).optional(),
  head: z.strictObject({ vault_seq: z.int().nonnegative(), hash: z.string() }),
});
const whole = opening.extend({ rows: z.array(row) });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value itself, as it was in the file: what a schema gives back may be another one, with another hash. */
function checked<T>(schema: z.ZodType, value: unknown, what: string): T {
  const { error } = schema.safeParse(value);
  if (!error) return value as T;
  const [issue] = error.issues;
  throw new Unreadable(`${what}: ${issue?.path.join('.') || 'the value'}: ${issue?.message}`);
}

const linesOf = (rows: readonly AuditRow[]): string[] => rows.map((one) => JSON.stringify(one));

function jsonFile(text: string, value: unknown): ExportFile {
  const { rows, ...head } = checked<Opening & { rows: AuditRow[] }>(whole, value, 'not a JSON export');
  const written = `${JSON.stringify(head).slice(0, -1)},"rows":[\n${linesOf(rows).join(',\n')}\n]}\n`;
  return { opening: head, rows, text, written };
}

function ndjsonFile(text: string): ExportFile {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const head = checked<Opening>(opening, jsonOf(lines[0] ?? ''), 'line 1 is not the opening of an export');
  const rows = lines
    .slice(1)
    .map((line, index) => checked<AuditRow>(row, jsonOf(line), `line ${index + 2} is not an audit row`));
  const written = [JSON.stringify(head), ...linesOf(rows)].map((line) => `${line}\n`).join('');
  return { opening: head, rows, text, written };
}

/** A sheet has neither the head nor the rows as they were hashed. */
const isSheet = (text: string): boolean => text.startsWith(`${Object.keys(AuditRow.shape).join()}\r\n`);

/**
 * Reads an export, JSON or NDJSON. `written` is the text an export of these rows has, byte by byte.
 * @throws Unreadable naming what is wrong with it.
 */
export function readExport(text: string): ExportFile {
  if (isSheet(text)) throw new Unreadable('a CSV export is for reading; verify the JSON or NDJSON of it');
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null && 'rows' in value ? jsonFile(text, value) : ndjsonFile(text);
}
