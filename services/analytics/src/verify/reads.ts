import { CompareVaults, ExportPage, exportDatasets, type Route, routes } from '@castellan/contracts';
import { getAllocationSeries } from '../use-cases/allocation.ts';
import { compareVaults } from '../use-cases/compare.ts';
import { exportPage } from '../use-cases/export-page.ts';
import { listFees } from '../use-cases/fees.ts';
import { getOperations } from '../use-cases/operations.ts';
import { getOverview } from '../use-cases/overview.ts';
import { getApySeries, getPerformance, getTvlSeries } from '../use-cases/performance.ts';
import type { Histories } from '../use-cases/ports.ts';
import { getPps, getPpsWhatIf } from '../use-cases/pps.ts';
import { getConcentration, getDrawdown, getRisk, getVolatility, runSimulation } from '../use-cases/risk.ts';
import { listVaultTransactions } from '../use-cases/transactions.ts';
import { getCohorts, getRetention, getUsers, listTopHolders } from '../use-cases/users.ts';
import { getVolume } from '../use-cases/volume.ts';
import { comparisonOf } from './compare.ts';
import { Refusal } from './refusal.ts';

type UseCase = (deps: { histories: Histories }) => (params: never) => Promise<unknown>;

/** Every read about one vault: its route, and the use case that answers it. */
const reads = {
  overview: [routes.analyticsOverview, getOverview],
  pps: [routes.analyticsPps, getPps],
  'pps/what-if': [routes.analyticsPpsWhatIf, getPpsWhatIf],
  performance: [routes.analyticsPerformance, getPerformance],
  'performance/apy': [routes.analyticsApy, getApySeries],
  'performance/tvl': [routes.analyticsTvl, getTvlSeries],
  allocation: [routes.analyticsAllocation, getAllocationSeries],
  risk: [routes.analyticsRisk, getRisk],
  'risk/concentration': [routes.analyticsConcentration, getConcentration],
  'risk/drawdown': [routes.analyticsDrawdown, getDrawdown],
  'risk/volatility': [routes.analyticsVolatility, getVolatility],
  'risk/run': [routes.analyticsRun, runSimulation],
  users: [routes.analyticsUsers, getUsers],
  'users/retention': [routes.analyticsRetention, getRetention],
  'users/cohorts': [routes.analyticsCohorts, getCohorts],
  'users/top': [routes.analyticsTopHolders, listTopHolders],
  operations: [routes.analyticsOperations, getOperations],
  'operations/transactions': [routes.analyticsTransactions, listVaultTransactions],
  'operations/volume': [routes.analyticsVolume, getVolume],
  fees: [routes.analyticsFees, listFees],
} satisfies Record<string, readonly [Route, UseCase]>;

export const COMPARE = 'compare';
const EXPORT = 'export/';

/** The dataset of an export; undefined for every other read. */
export const datasetOf = (read: string): string | undefined =>
  read.startsWith(EXPORT) ? read.slice(EXPORT.length) : undefined;

export const readPaths: readonly string[] = [
  ...Object.keys(reads),
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
  const [route, useCase] = reads[read as keyof typeof reads] as readonly [Route, UseCase];
  const asked = { ...Object.fromEntries(new URLSearchParams(query)), block: String(block), receipt: 'true' };
  const parsed = route.query.safeParse(asked);
  if (!parsed.success) throw new Refusal(`--query: ${parsed.error.issues[0]?.message}.`);
  const merged = route.toParams({
    params: { chain_id: chainId, vault_address: vault },
    query: parsed.data as Record<string, unknown>,
    body: {},
  });
  return useCase({ histories })(route.action?.params.parse(merged) as never);
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
