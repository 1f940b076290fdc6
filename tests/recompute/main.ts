/** Prints every recomputed figure: `node tests/recompute/main.ts <rpc url> <deployment.json> <vault name> [block]`. */
import { readFileSync } from 'node:fs';
import { readChain } from './chain-record.ts';
import { concentrationAt } from './concentration.ts';
import { deploymentOf } from './deployment.ts';
import { recompute } from './recompute.ts';
import { rpcOf } from './rpc.ts';

const [url, file, name, at] = process.argv.slice(2);
if (!url || !file || !name) throw new Error('Usage: node tests/recompute/main.ts <rpc url> <deployment.json> <vault>');
const rpc = rpcOf(url);
const deployment = deploymentOf(JSON.parse(readFileSync(file, 'utf8')), name);
const block = BigInt(at ?? String(await rpc.one('eth_blockNumber', [])));
const figures = {
  ...recompute(await readChain(rpc, deployment, block)),
  concentration: await concentrationAt(rpc, deployment, block),
};
const plain = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
process.stdout.write(`${JSON.stringify(figures, plain, 2)}\n`);
