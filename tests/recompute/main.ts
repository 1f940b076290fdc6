/**
 * Recomputes the answers of a running system from its chain:
 * `node tests/recompute/main.ts --base <url> --rpc <url> --deployment <deployment.json> [--moments 50] [--seed n] [--receipts]`.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { apiOf } from './api.ts';
import { checkNow } from './check-now.ts';
import { checkingOf } from './checking.ts';
import { deploymentOf, vaultsOf } from './deployment.ts';
import { momentsOf } from './moments.ts';
import { rememberingRpc, rpcOf } from './rpc.ts';
import { checkMoment, type Report } from './run.ts';
import { summaryOf } from './summary.ts';

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    rpc: { type: 'string' },
    deployment: { type: 'string' },
    moments: { type: 'string', default: '50' },
    seed: { type: 'string', default: '20261123' },
    receipts: { type: 'boolean', default: false },
  },
});
const { base, rpc: url, deployment: path } = values;
if (!base || !url || !path)
  throw new Error('Usage: node tests/recompute/main.ts --base <url> --rpc <url> --deployment <deployment.json>');

const file = JSON.parse(readFileSync(path, 'utf8')) as Parameters<typeof deploymentOf>[0];
const vaults = vaultsOf(file).map(({ vault }) => vault);
const api = apiOf(base);
const rpc = rememberingRpc(rpcOf(url));
const newest = await Promise.all(vaults.map((vault) => api.get(`vaults/31337/${vault}/analytics/overview`)));
const head = BigInt(Math.min(...newest.map(({ block_number }) => block_number as number)));
const deployments = vaults.map((vault) => deploymentOf(file, vault));
const checking = await checkingOf({ rpc, api, deployments, head, receipts: values.receipts });

/** The first block that the product observed: before, state is null and only logs are compared. */
async function firstObserved(): Promise<bigint> {
  const { points } = await api.get(`vaults/31337/${vaults[0]}/analytics/allocation`, {
    block: `${head}`,
    period: 'all',
    points: '2000',
  });
  const first = (points as { t: string }[])[0];
  return first ? checking.blockAt(BigInt(Date.parse(first.t) / 1000)) : head;
}

const created = [...checking.records.values()].map(
  ({ events, createdTx }) => events.find(({ tx }) => tx === createdTx)?.block ?? 0n,
);
const from = created.reduce((latest, block) => (block > latest ? block : latest)) + 1n;
const range = { from, observedSince: await firstObserved(), to: head };
const moments = momentsOf(vaults, range, Number(values.moments), Number(values.seed));
process.stdout.write(
  `Seed ${values.seed}: ${moments.length} moments in blocks ${from} to ${head}, observed since ${range.observedSince}.\n`,
);
const report: Report = new Map();
for (const moment of moments) await checkMoment(checking, moment, report);
await checkNow(checking, vaults, report);
const { text, differences } = summaryOf(report);
process.stdout.write(text);
process.exitCode = differences === 0 ? 0 : 1;
