import { type Asked, decimal, netFields } from './answer-parts.ts';
import { comparedMetrics, comparedSeries } from './answers-compare.ts';
import { fees, transactions } from './answers-operations.ts';
import { top } from './answers-users.ts';
import { listedVault, vaultDetail } from './answers-vault.ts';
import type { Answer } from './api.ts';
import { type ChainRecord, readChain } from './chain-record.ts';
import { compare, unruled } from './coverage.ts';
import { observationsIn, observationsOf } from './prices.ts';
import { addTo, type Checking, type Report, tallyOf } from './run.ts';
import { type State, stateAt } from './state.ts';
import { isoOf, rangeOf, secondsOf } from './time.ts';

const PERIOD = '30d';
/** More rows than any export of these vaults has. */
const ALL = '1000000';

type At = { record: ChainRecord; state: State };

/** The chain at the block that an answer about now names. */
async function chainAt({ rpc, records }: Checking, vault: string, block: number): Promise<At> {
  const known = records.get(vault);
  if (!known) throw new Error(`No record of ${vault}.`);
  const record = await readChain(rpc, known.deployment, BigInt(block));
  return { record, state: await stateAt(rpc, record, record.block, record.time) };
}

function hold(report: Report, read: string, vault: string, actual: unknown, expected: unknown, block: bigint): void {
  addTo(tallyOf(report, read), compare(actual, expected), [], { read, vault, block });
}

async function checkVaults(checking: Checking, vaults: readonly string[], report: Report): Promise<void> {
  for (const vault of vaults) {
    const answer = await checking.api.get(`vaults/31337/${vault}`);
    const { record, state } = await chainAt(checking, vault, answer.block_number as number);
    hold(report, 'vault detail', vault, answer, vaultDetail({ record, answer }, state), record.block);
  }
  const listed = (await checking.api.get('public/vaults')) as unknown as (Answer & {
    vault_address: string;
    block_number: number;
  })[];
  for (const answer of listed) {
    const { record, state } = await chainAt(checking, answer.vault_address, answer.block_number);
    hold(report, 'public list', answer.vault_address, answer, listedVault(record, state), record.block);
  }
}

type Row = { vault_address: string; as_of: string; block_number: number };

async function checkCompare(checking: Checking, vaults: readonly string[], report: Report): Promise<void> {
  const body = {
    vaults: vaults.map((vault) => ({ chain_id: 31337, vault_address: vault })),
    period: PERIOD,
    points: 20,
  };
  const answer = (await checking.api.post('analytics/compare', body)) as Answer & { table: Row[] };
  const found: At[] = [];
  for (const row of answer.table) found.push(await chainAt(checking, row.vault_address, row.block_number));
  const to = found.reduce(
    (least, { record }) => (record.time < least ? record.time : least),
    secondsOf(answer.to as string),
  );
  const range = rangeOf(PERIOD, to, 0n);
  const records = found.map(({ record }) => record);
  const expected = {
    period: PERIOD,
    from: isoOf(range.from),
    to: isoOf(range.to),
    table: found.map(({ record, state }) => ({
      as_of: isoOf(record.time),
      block_number: Number(record.block),
      quality: unruled,
      metrics: comparedMetrics(record, state),
    })),
    series: comparedSeries(records, answer.series as Parameters<typeof comparedSeries>[1], range),
  };
  hold(report, 'compare', 'all', answer, expected, records[0]?.block ?? 0n);
}

/** Rows as an export has them: oldest first, and amounts once more in whole units. */
function exported(asked: Asked): Record<string, readonly object[]> {
  const { record } = asked;
  const range = rangeOf(PERIOD, record.time, 0n);
  const units = (value: string | null) => (value === null ? null : decimal(BigInt(value), record.precision));
  const entries = transactions(asked).transactions.reverse();
  return {
    pps: observationsIn(observationsOf(record), range).map((each) => {
      const { net_pps, net_pps_exact } = netFields(each.net);
      return {
        t: isoOf(each.time),
        pps: `${each.pps}`,
        pps_display: decimal(each.pps, record.precision),
        net_pps,
        hwm_pps: `${each.hwm}`,
        source: each.source,
        block: Number(each.block),
        tx_hash: each.tx,
        net_pps_exact_numerator: net_pps_exact.numerator,
        net_pps_exact_denominator: net_pps_exact.denominator,
      };
    }),
    transactions: entries.map((row) => ({ ...row, assets_units: units(row.assets), shares_units: units(row.shares) })),
    fees: fees(asked)
      .fees.reverse()
      .map(({ performance_fee_bps: _, management_fee_bps: __, ...row }) => ({ ...row, total_units: units(row.total) })),
    users: top(asked).holders.map(({ instant_liquidity_use: _, net_flow_30d: __, ...row }) => ({
      ...row,
      assets_units: units(row.assets),
    })),
  };
}

async function checkExports(checking: Checking, vault: string, report: Report): Promise<void> {
  const { block_number } = await checking.api.get(`vaults/31337/${vault}/analytics/overview`);
  const { record } = await chainAt(checking, vault, block_number as number);
  const asked: Asked = { record, query: { period: PERIOD, limit: ALL }, state: 'forgotten', answer: {} };
  for (const [dataset, rows] of Object.entries(exported(asked))) {
    const query = {
      dataset,
      format: 'json',
      block: `${block_number}`,
      ...(dataset === 'users' ? {} : { period: PERIOD }),
    };
    const answer = await checking.api.get(`vaults/31337/${vault}/analytics/export`, query);
    hold(report, `export ${dataset}`, vault, answer, rows, record.block);
  }
}

/** What is asked about now: detail, list, comparison and exports, each held against the block it names. */
export async function checkNow(checking: Checking, vaults: readonly string[], report: Report): Promise<void> {
  await checkVaults(checking, vaults, report);
  await checkCompare(checking, vaults, report);
  for (const vault of vaults) await checkExports(checking, vault, report);
}
