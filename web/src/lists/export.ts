export type ExportRequest = {
  vault: { chain_id: number; vault_address: string };
  dataset: 'pps' | 'transactions' | 'users' | 'fees' | 'redemptions';
  /** A period, or from and to; neither for the whole life of the vault. */
  range: { period?: string; from?: string; to?: string };
  at: string | undefined;
  /** Rows to keep, by column and value. The server narrows by time only, so this is done here. */
  only?: Readonly<Record<string, string>>;
};

function exportUrl({ vault, dataset, range, at }: ExportRequest, format: 'csv' | 'ndjson'): string {
  const query = new URLSearchParams({ format, dataset, ...range, ...(at === undefined ? {} : { at }) });
  return `/api/v1/vaults/${vault.chain_id}/${vault.vault_address}/analytics/export?${query}`;
}

/** The refusal in the server's words. */
async function refusalOf(response: Response): Promise<Error> {
  const status = { status: response.status, detail: `The server answered ${response.status}.` };
  const isProblem = response.headers.get('content-type')?.includes('json') ?? false;
  const problem: object = isProblem ? ((await response.json()) as object) : {};
  return Object.assign(new Error(`The export was refused with ${response.status}`), status, problem);
}

export type Row = Readonly<Record<string, string | number | null>>;

// A text that starts like a formula would be run by a spreadsheet; figures stay figures.
const cellText = (cell: Row[string]): string => {
  const text = cell === null ? '' : String(cell);
  const harmless = typeof cell === 'string' && /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

const matches = (row: Row, only: Readonly<Record<string, string>>): boolean =>
  Object.entries(only).every(([name, value]) => String(row[name] ?? '').toLowerCase() === value.toLowerCase());

/** Rows as CSV with the columns of the first. */
export function csvOf(rows: readonly Row[], columns = Object.keys(rows[0] ?? {})): string {
  return [columns, ...rows.map((row) => columns.map((name) => cellText(row[name] ?? null)))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');
}

/** Lines of JSON as CSV with the columns of the first, only the rows that are asked for. */
export function filteredCsv(lines: string, only: Readonly<Record<string, string>>): string {
  const rows = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
  const kept = rows.filter((row) => matches(row, only));
  return csvOf(kept, Object.keys(rows[0] ?? {}));
}

/** The rows of a filter as a CSV file. The data is public, so no token goes along. */
export async function readExport(request: ExportRequest, get: typeof fetch): Promise<{ name: string; blob: Blob }> {
  const { only = {}, dataset, vault } = request;
  const isWhole = Object.keys(only).length === 0;
  const response = await get(exportUrl(request, isWhole ? 'csv' : 'ndjson'));
  if (!response.ok) throw await refusalOf(response);
  const block = response.headers.get('x-block-number');
  const text = await response.text();
  return {
    name: `${[vault.vault_address, dataset, block].filter((part) => part !== null).join('-')}.csv`,
    blob: new Blob([isWhole ? text : filteredCsv(text, only)], { type: 'text/csv;charset=utf-8' }),
  };
}
