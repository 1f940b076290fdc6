import { CompareVaults, ExportPage, exportDatasets } from '@castellan/contracts';
import { reads } from '../reads.ts';
import { compareVaults } from '../use-cases/compare.ts';
import { exportPage } from '../use-cases/export-page.ts';
import type { Histories } from '../use-cases/ports.ts';
import { comparisonOf } from './compare.ts';
import { Refusal } from './refusal.ts';

/** Each read by what its route says behind `/analytics/`. */
const byPath = new Map(reads.map((read) => [read.route.path.split('/analytics/')[1] ?? '', read]));

export const COMPARE = 'compare';
const EXPORT = 'export/';

/** The dataset of an export; undefined for every other read. */
export const datasetOf = (read: string): string | undefined =>
  read.startsWith(EXPORT) ? read.slice(EXPORT.length) : undefined;

export const readPaths: readonly string[] = [
  ...byPath.keys(),
  COMPARE,
  ...exportDatasets.map((name) => `${EXPORT}${name}`),
];

export type Question = {
  readonly chainId: number;
  readonly vault: string;
  readonly block: number;
  readonly read: string;
  readonly query: string;
};

/** Asks a read of some histories what a client asks it over HTTP. */
export async function askRead(histories: Histories, question: Question): Promise<unknown> {
  const { chainId, vault, block, read, query } = question;
  if (read === COMPARE) {
    const compared = CompareVaults.params.safeParse(comparisonOf(query, question));
    if (!compared.success) throw new Refusal(`--query: ${compared.error.issues[0]?.message}.`);
    return compareVaults({ histories })(compared.data);
  }
  const dataset = datasetOf(read);
  if (dataset !== undefined) return wholeExport(histories, question, dataset);
  const found = byPath.get(read);
  if (found === undefined) throw new Refusal(`There is no read ${read}.`);
  const { route } = found;
  const asked = { ...Object.fromEntries(new URLSearchParams(query)), block: String(block), receipt: 'true' };
  const parsed = route.query.safeParse(asked);
  if (!parsed.success) throw new Refusal(`--query: ${parsed.error.issues[0]?.message}.`);
  const merged = route.toParams({
    params: { chain_id: chainId, vault_address: vault },
    query: parsed.data as Record<string, unknown>,
    body: {},
  });
  return found.answer({ histories }, merged);
}

/** All pages of an export, with the receipts of its rows by path. */
async function wholeExport(histories: Histories, { chainId, vault, block, query }: Question, dataset: string) {
  const asked = { ...Object.fromEntries(new URLSearchParams(query)), block, dataset, receipt: true };
  const receipts: [string, unknown][] = [];
  let after: string | undefined;
  let rows = 0;
  do {
    const params = { ...asked, chain_id: chainId, vault_address: vault, ...(after === undefined ? {} : { after }) };
    const parsed = ExportPage.params.safeParse(params);
    if (!parsed.success) throw new Refusal(`--query: ${parsed.error.issues[0]?.message}.`);
    const page = await exportPage({ histories })(parsed.data);
    for (const [at, row] of (page.receipts ?? []).entries())
      receipts.push(
        ...Object.entries(row).map(([name, one]) => [`rows.${rows + at}.${name}`, one] as [string, unknown]),
      );
    rows += page.rows.length;
    after = page.next ?? undefined;
  } while (after !== undefined);
  return { receipts: Object.fromEntries(receipts) };
}
