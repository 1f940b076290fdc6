import { createHash } from 'node:crypto';
import type { Benchmark, BenchmarkValue, Measure } from './benchmark.ts';

/** Digits behind the point that a value of a file may have; all its values are over 10^18. */
const DIGITS = 18;
const MOST_LINES = 100_000;
const HEADER = 'time,value';

type Row = { readonly place: string; readonly time: unknown; readonly value: unknown };

const wrong = (file: string, place: string, found: unknown, allowed: string): Error =>
  new Error(`${file}, ${place}: ${JSON.stringify(found)?.slice(0, 60)} must be ${allowed}`);

/** Seconds of `2026-06-01` or `2026-06-01T12:00:00Z`. */
function timeOf(file: string, { place, time }: Row): number {
  const text = typeof time === 'string' ? time.trim() : '';
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text);
  const at = isTime ? Date.parse(text) : Number.NaN;
  // A day that a month does not have is read as one of the next.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text.slice(0, 10))
    throw wrong(file, place, time, 'a UTC time such as 2026-06-01 or 2026-06-01T12:00:00Z');
  return Math.floor(at / 1000);
}

const limits: Readonly<Record<Measure, { least: bigint; most: bigint; allowed: string }>> = {
  yearly_rate: {
    least: -(10n ** 18n) / 2n,
    most: 2n * 10n ** 18n,
    allowed: 'a rate of a year from -0.5 to 2, such as 0.045 for 4.5 %',
  },
  level: { least: 1n, most: 10n ** 36n, allowed: `a number above 0 and up to 10^18, with at most ${DIGITS} decimals` },
};

/** A number of JSON is taken as it is written there only where that needs no exponent. */
function amountOf(file: string, { place, value }: Row, measure: Measure): bigint {
  const { least, most, allowed } = limits[measure];
  const found = /^(-?)(\d{1,18})(?:\.(\d{1,18}))?$/.exec(typeof value === 'number' ? `${value}` : `${value}`.trim());
  if (!found || (typeof value !== 'string' && typeof value !== 'number')) throw wrong(file, place, value, allowed);
  const [, sign = '', whole = '', fraction = ''] = found;
  const amount = BigInt(`${sign}${whole}${fraction.padEnd(DIGITS, '0')}`);
  if (amount < least || amount > most) throw wrong(file, place, value, allowed);
  return amount;
}

function rowsOfCsv(file: string, text: string): Row[] {
  const lines = text.split(/\r?\n/);
  if (lines[0]?.trim() !== HEADER) throw wrong(file, 'line 1', lines[0] ?? '', `the header ${HEADER}`);
  return lines.flatMap((line, at) => {
    if (at === 0 || line.trim() === '') return [];
    const cells = line.split(',');
    if (cells.length !== 2) throw wrong(file, `line ${at + 1}`, line, 'a time, a comma and a value');
    return [{ place: `line ${at + 1}`, time: cells[0], value: cells[1] }];
  });
}

function rowsOfJson(file: string, text: string): Row[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!Array.isArray(list)) throw wrong(file, 'its beginning', typeof list, 'a list of {"time": ..., "value": ...}');
  return list.map((item: unknown, at) => {
    const place = `entry ${at + 1}`;
    const isRow = typeof item === 'object' && item !== null && 'time' in item && 'value' in item;
    if (!isRow || Object.keys(item).length !== 2) throw wrong(file, place, item, '{"time": ..., "value": ...}');
    return { place, time: item.time, value: item.value };
  });
}

/** The version of a file: the beginning of the SHA-256 of its bytes. */
const versionOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * A series of the operator's own: CSV with the header `time,value`, or a JSON list of objects with both, oldest first.
 * @param file - Its name, for messages and receipts.
 * @throws {Error} that names the line, what is there and what is allowed.
 */
export function benchmarkOfFile(
  { file, name, measure }: { file: string; name: string; measure: Measure },
  text: string,
): Benchmark {
  const rows = file.endsWith('.json') ? rowsOfJson(file, text) : rowsOfCsv(file, text);
  if (rows.length === 0 || rows.length > MOST_LINES)
    throw new Error(`${file} has ${rows.length} values; a series has 1 to ${MOST_LINES}`);
  let before = Number.NEGATIVE_INFINITY;
  const values = rows.map((row): BenchmarkValue => {
    const time = timeOf(file, row);
    if (time <= before) throw wrong(file, row.place, row.time, 'later than the time before it');
    before = time;
    const value = amountOf(file, row, measure);
    const source = `${file}, ${row.place}, ${String(row.time).trim()}`;
    return { block: 0, time, value, decimals: DIGITS, at: undefined, source };
  });
  return { name, version: versionOf(text), measure, source: 'file', address: null, values };
}
