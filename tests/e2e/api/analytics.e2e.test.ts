import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { power } from '../../recompute/answer-parts.ts';
import { apiOf } from '../../recompute/api.ts';
import { type ChainRecord, readChain } from '../../recompute/chain-record.ts';
import { checkingOf } from '../../recompute/checking.ts';
import { compare } from '../../recompute/coverage.ts';
import { deploymentOf } from '../../recompute/deployment.ts';
import { knownOf } from '../../recompute/known-differences.ts';
import { displayed, observationsOf } from '../../recompute/prices.ts';
import { recompute } from '../../recompute/recompute.ts';
import { type Rpc, rememberingRpc, rpcOf } from '../../recompute/rpc.ts';
import { type Checking, checkMoment, type Report } from '../../recompute/run.ts';
import { baseUrl, chain, signIn, stateDir, until } from '../../system/actors.ts';
import { keeperMs, scenarioMs } from '../../system/patience.ts';
import { patientFetch } from '../../system/patient-fetch.ts';

const names = ['USDC Core', 'WETH Growth', 'WBTC Reserve'] as const;
/** The state of a quiet vault is observed every 15 s; until then its newest blocks may not be answered yet. */
const awaited = keeperMs;

let rpc: Rpc;
/** The newest that is answered for every vault. */
let block: bigint;
/** Of a wallet without a role: a verified caller has a request budget of its own, pages that run meanwhile keep theirs. */
let authorization: string;
/** What was answered at `block` before any test ran. */
let before: { head: bigint; answers: string[][] };
const records = new Map<string, ChainRecord>();
let checking: Checking;

const deployment = (name: string) =>
  deploymentOf(JSON.parse(readFileSync(join(stateDir(), 'devnet/deployment.json'), 'utf8')), name);
const vaultOf = (name: string): string => deployment(name).vault;
const analytics = (vault: string, path: string) => `${baseUrl()}/api/v1/vaults/31337/${vault}/analytics/${path}`;

const send = (url: string, init: RequestInit = {}) =>
  patientFetch(url, { ...init, headers: { authorization, ...(init.headers as Record<string, string>) } });

async function ask<T = Record<string, unknown>>(name: string, path: string, query: Record<string, string> = {}) {
  const search = new URLSearchParams({ block: `${block}`, ...query });
  const response = await send(`${analytics(vaultOf(name), path)}?${search}`);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const recordOf = (name: string) => records.get(name) as ChainRecord;

const secondsOf = (iso: string): bigint => BigInt(Date.parse(iso) / 1000);

async function newestAnswered(name: string): Promise<number> {
  const response = await send(analytics(vaultOf(name), 'overview'));
  return ((await response.json()) as { block_number: number }).block_number;
}

beforeAll(async () => {
  rpc = rememberingRpc(rpcOf(chain().transport.url as string));
  authorization = `Bearer ${(await signIn(54)).token}`;
  block = BigInt(Math.min(...(await Promise.all(names.map(newestAnswered)))));
  before = { head: await chain().getBlockNumber(), answers: await timeMachineAnswers() };
  checking = await checkingOf({
    rpc,
    api: apiOf(baseUrl(), { authorization }),
    deployments: names.map(deployment),
    head: block,
    receipts: false,
  });
  for (const [name, record] of names.map((name) => [name, checking.records.get(vaultOf(name))] as const))
    records.set(name, record as ChainRecord);
});

/** Differences at one moment between every read and the chain, without those that are known; and what had no rule. */
async function differencesAt(name: string, at: bigint) {
  const report: Report = new Map();
  await checkMoment(checking, { vault: vaultOf(name), block: at, index: Number(at % 6n) }, report);
  const findings = [...report.values()].flatMap((tally) => tally.findings);
  const compared = [...report.values()].reduce((total, tally) => total + tally.compared, 0);
  return { report, compared, differences: findings.filter((finding) => !knownOf(finding)) };
}

describe.each(names)('%s against its own chain', (name) => {
  test('default: the answer names the block, and a moment between its last event and its time', async () => {
    const { time, events } = recordOf(name);
    expect((await ask(name, 'overview')).block_number).toBe(Number(block));
    expect(time).toBeGreaterThanOrEqual(events.at(-1)?.time ?? 0n);
    expect(time).toBeLessThanOrEqual((await chain().getBlock({ blockNumber: block })).timestamp);
  });

  test('default: every figure of every read, observed state included', async () => {
    const { report, compared, differences } = await differencesAt(name, block);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(1_000);
    expect([...(report.get('risk/concentration')?.unruled.keys() ?? [])]).toEqual([]);
  });

  test.each([10, 35, 45, 70])(
    'behavior: at a block %d %% into the history, the figures are those of then',
    async (percent) => {
      expect((await differencesAt(name, (block * BigInt(percent)) / 100n)).differences).toEqual([]);
    },
  );
});

const timeMachineReads = [
  ['overview', {}],
  ['pps', { period: '7d', points: '50' }],
  ['performance', { period: '30d' }],
  ['performance/bridge', { period: '30d', receipt: 'true' }],
  ['allocation', { period: '24h' }],
  ['risk', {}],
  ['users', {}],
  ['users/cohorts', {}],
  ['users/top', {}],
  ['operations', { period: '7d' }],
  ['operations/volume', { period: '30d' }],
  ['fees', { period: 'all' }],
  ['overview', { receipt: 'true' }],
] as const;

const timeMachineAnswers = () =>
  Promise.all(
    timeMachineReads.map(async ([path, query]) => {
      const search = new URLSearchParams({ ...query, block: `${block}` });
      return [path, await (await send(`${analytics(vaultOf('USDC Core'), path)}?${search}`)).text()];
    }),
  );

describe('the time machine', () => {
  test('behavior: the same block asked later gives the same bytes', async () => {
    await until('four more blocks', async () => (await chain().getBlockNumber()) >= before.head + 4n);
    expect(await timeMachineAnswers()).toEqual(before.answers);
  });

  test(
    'behavior: a block that is answered as soon as it can be is never answered otherwise',
    async () => {
      const newest = ['overview', 'operations', 'risk', 'allocation'];
      // Until it can be answered it is refused: only an answer counts.
      const bytesOf = (name: string, path: string, at: bigint) =>
        until(
          `${path} of ${name} at block ${at}`,
          async () => {
            const response = await send(`${analytics(vaultOf(name), path)}?block=${at}`);
            return response.ok && response.text();
          },
          awaited,
        );
      const mined = (at: bigint) => until(`block ${at}`, async () => (await chain().getBlockNumber()) >= at, awaited);
      const head = await chain().getBlockNumber();
      const blocks = Array.from({ length: 8 }, (_, index) => head + BigInt(index + 1));
      // Blocks of a vault can be answered in their order, so that one request at a time is enough to be the first.
      const firstAnswers = async (name: string) => {
        const answers = [];
        for (const at of blocks) {
          await mined(at);
          await bytesOf(name, 'overview', at);
          answers.push(...newest.map(async (path) => ({ name, path, at, bytes: await bytesOf(name, path, at) })));
        }
        return Promise.all(answers);
      };
      const first = (await Promise.all(names.map(firstAnswers))).flat();
      expect(first).toHaveLength(names.length * blocks.length * newest.length);
      const settled = (await chain().getBlockNumber()) + 4n;
      await mined(settled);
      const changed: string[] = [];
      for (const { name, path, at, bytes } of first)
        if ((await bytesOf(name, path, at)) !== bytes) changed.push(`${name}, ${path}, block ${at}`);
      expect(changed).toEqual([]);
    },
    scenarioMs,
  );
});

describe('bad input', () => {
  const unknown = `0x${'12'.repeat(20)}`;
  const usdc = () => vaultOf('USDC Core');

  test.each([
    ['PERIOD_UNKNOWN', 400, () => analytics(usdc(), 'pps?period=fortnight')],
    ['PERIOD_UNKNOWN', 400, () => analytics(usdc(), 'operations?period=0')],
    ['RANGE_REVERSED', 400, () => analytics(usdc(), 'pps?from=2026-11-20T00:00:00Z&to=2026-11-01T00:00:00Z')],
    ['RANGE_REVERSED', 400, () => analytics(usdc(), 'fees?from=2026-11-20T00:00:00Z&to=2026-11-20T00:00:00Z')],
    ['POINTS_OUT_OF_RANGE', 400, () => analytics(usdc(), 'pps?points=1000000000')],
    ['POINTS_OUT_OF_RANGE', 400, () => analytics(usdc(), 'risk/drawdown?points=1')],
    ['BLOCK_IN_FUTURE', 400, () => analytics(usdc(), 'overview?block=999999999')],
    ['BEFORE_CREATION', 400, () => analytics(usdc(), 'overview?block=0')],
    ['VAULT_NOT_FOUND', 404, () => analytics(unknown, 'overview')],
    ['VALIDATION_FAILED', 400, () => analytics(usdc(), 'overview?block=-1')],
    ['VALIDATION_FAILED', 400, () => analytics(usdc(), 'overview?colour=red')],
  ] as const)('error: %s, %i', async (code, status, url) => {
    const response = await send(url());
    const problem = (await response.json()) as { code: string };
    expect([response.status, problem.code, response.headers.get('content-type')?.split(';')[0]]).toEqual([
      status,
      code,
      'application/problem+json',
    ]);
  });
});

describe('export', () => {
  const file = async (dataset: string, format: string) => {
    const query = new URLSearchParams({ dataset, format, period: 'all', block: `${block}` });
    const response = await send(`${analytics(vaultOf('WETH Growth'), 'export')}?${query}`);
    return { type: response.headers.get('content-type')?.split(';')[0], text: await response.text() };
  };
  /** No cell of these data holds a comma, a quote or a line break. */
  const cellsOf = (text: string) =>
    text
      .replace(/^\ufeff/, '')
      .split(/\r?\n/)
      .filter((line) => line !== '')
      .map((line) => line.split(','));

  test.each([
    ['pps', ['t', 'pps', 'net_pps', 'source', 'block', 'tx_hash']],
    ['transactions', ['type', 't', 'wallet_address', 'assets', 'shares', 'usd', 'gas_cost', 'tx_hash', 'log_index']],
    ['users', ['wallet_address', 'shares', 'assets']],
    ['fees', ['t', 'kind', 'total', 'protocol_share', 'recipient_share', 'tx_hash']],
  ])('default: %s as CSV has its columns, full rows and no formula', async (dataset, columns) => {
    const { type, text } = await file(dataset, 'csv');
    const [head = [], ...rows] = cellsOf(text);
    expect(type).toBe('text/csv');
    expect(head).toEqual(expect.arrayContaining(columns));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => row.length !== head.length)).toEqual([]);
    expect(rows.flat().filter((cell) => /^[=+@\t\r]/.test(cell) || /^-(?![0-9.]+$)/.test(cell))).toEqual([]);
  });

  test('default: the prices of the file are those of the chain, oldest first', async () => {
    const { text } = await file('pps', 'csv');
    const [head = [], ...rows] = cellsOf(text);
    const cell = (row: string[], column: string) => row[head.indexOf(column)];
    const shown = rows.map((row) => [
      Date.parse(String(cell(row, 't'))) / 1000,
      cell(row, 'pps'),
      cell(row, 'net_pps'),
    ]);
    const expected = observationsOf(recordOf('WETH Growth')).map((each) => [
      Number(each.time),
      `${each.pps}`,
      displayed(each.net),
    ]);
    expect(shown).toEqual(expected);
  });

  test('default: JSON and NDJSON hold the same rows', async () => {
    const [json, ndjson] = await Promise.all([file('fees', 'json'), file('fees', 'ndjson')]);
    const lines = ndjson.text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(json.text));
  });
});

describe('compare', () => {
  type Table = { name: string; as_of: string; block_number: number; metrics: Record<string, number | null> }[];
  type Series = Record<string, { t: string; values: (number | null)[] }[]>;

  test('default: three vaults in a table, each figure of its own chain, and series over the same times', async () => {
    const response = await send(`${baseUrl()}/api/v1/analytics/compare`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        vaults: names.map((name) => ({ chain_id: 31337, vault_address: vaultOf(name) })),
        period: '30d',
        metrics: ['apy_7d', 'apy_30d', 'tvl_usd', 'max_drawdown', 'depositors', 'retention_30d', 'net_flow_usd'],
        series: ['return', 'tvl_usd'],
        points: 20,
      }),
    });
    expect(response.status).toBe(200);
    const { table, series } = (await response.json()) as { table: Table; series: Series };
    expect(table.map(({ name }) => name)).toEqual([...names]);
    for (const row of table) {
      const { apy, tvl, max_drawdown_30d, holders, flow } = recompute(
        await readChain(rpc, deployment(row.name), BigInt(row.block_number), secondsOf(row.as_of)),
      );
      const expected = {
        apy_7d: power(apy.d7),
        apy_30d: power(apy.d30),
        tvl_usd: tvl.h24.tvl_usd,
        max_drawdown: max_drawdown_30d,
        depositors: holders.total,
        retention_30d: holders.retention.d30,
        net_flow_usd: flow.d30.net_flow_usd,
      };
      expect(compare(row.metrics, expected).differences).toEqual([]);
    }
    for (const points of Object.values(series))
      expect(points.every(({ values }) => values.length === names.length)).toBe(true);
    expect(series.return?.length).toBeGreaterThan(1);
  });
});
