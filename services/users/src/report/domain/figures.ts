import type { Quality, ReportFigure, ReportTable, ReportUnit } from '@castellan/contracts';
import type { z } from 'zod';

type Value = ReportFigure['value'];
type Cell = ReportTable['rows'][number][number];

/** An answer of analytics: its figures by path, and what of them is not as it should be. */
export type Answered = { quality: Readonly<Record<string, z.output<typeof Quality>>> };

/** `apy.d30`, `fees.0.total`. */
function valueAt(answer: unknown, path: string): Value {
  let value: unknown = answer;
  for (const step of path.split('.')) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[step];
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`${path} of an answer is no figure.`);
}

/** One figure of a section: where it is in the answer, what it is called, and what it counts. */
export type Wanted = readonly [path: string, label: string, unit: ReportUnit];

/** The figures of a read, each with the id of its receipt: the read, a colon and the path. */
export function figuresOf(read: string, answer: Answered, wanted: readonly Wanted[]): ReportFigure[] {
  return wanted.map(([path, label, unit]) => {
    const { status, reason } = answer.quality[path] ?? { status: 'ok', reason: null };
    return {
      id: path,
      label,
      value: valueAt(answer, path),
      unit,
      receipt: `${read}:${path}`,
      note: status === 'ok' ? null : (reason ?? status),
    };
  });
}

/** One column of a table: its field in a row. `fact`: it has no receipt, as it names a time or a place. */
export type Column = readonly [field: string, label: string, unit: ReportUnit, kind?: 'fact'];

/** The rows of a list in an answer; what a row does not have has no receipt. @param list - Its path. */
export function tableOf(
  read: string,
  answer: unknown,
  {
    id,
    title,
    list,
    columns,
    total,
  }: { id: string; title: string; list: string; columns: readonly Column[]; total?: number },
): ReportTable {
  const rows = list
    .split('.')
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], answer) as unknown[];
  return {
    id,
    title,
    columns: columns.map(([field, label, unit]) => ({ id: field, label, unit })),
    rows: rows.map((_row, at) =>
      columns.map(([field, , , kind]): Cell => {
        const path = `${list}.${at}.${field}`;
        const value = valueAt(answer, path);
        return { value, receipt: kind === 'fact' || value === null ? null : `${read}:${path}` };
      }),
    ),
    total: total ?? rows.length,
  };
}

/** A table of facts, which have no receipts. */
export const factsOf = (
  id: string,
  title: string,
  columns: readonly Column[],
  rows: readonly (readonly Value[])[],
  total = rows.length,
): ReportTable => ({
  id,
  title,
  columns: columns.map(([field, label, unit]) => ({ id: field, label, unit })),
  rows: rows.map((cells) => cells.map((value): Cell => ({ value, receipt: null }))),
  total,
});
