import { chainClient, hookLeaf, hookTree, loadChains } from '@castellan/chain';
import { type Address, encodePacked, type Hex, pad, toHex } from 'viem';
import { hookData, setUp, TestChain } from '../packages/protocol/test/test-chain.ts';
import type { KnownChain } from '../services/vaults/src/chains/chain-directory.ts';
import { rpcInspect } from '../services/vaults/src/hook-trees/adapters/inspect.rpc.ts';
import { type Artifact, artifactOf } from '../services/vaults/src/hook-trees/domain/artifact.ts';
import { buildTree, type LeafValue, proofAt, proves } from '../services/vaults/src/hook-trees/domain/tree.ts';
import { recordFigure } from './figures.ts';

/**
 * What a large hooks tree costs: asking the hooks, building it, its proofs and the artifact. The baseline is the same tree by
 * our independent builder in the same run, whose root has to be the same. Usage: node bench/merkle.ts [leaves]
 */
const LEAVES = Number(process.argv[2] ?? 100_000);
const GOAL_SECONDS = 10;
const CHECKED = 1_000;

const addressOf = (index: number): Address => pad(toHex(index + 1), { size: 20 });
type Spent = { wall: number; cpu: number };
const spentOn = async <T>(work: () => T | Promise<T>): Promise<[Spent, T]> => {
  const start = performance.now();
  const before = process.cpuUsage();
  const found = await work();
  const { user, system } = process.cpuUsage(before);
  return [{ wall: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 }, found];
};

/** A known hook over a node of its own. */
async function withHook<T>(use: (chain: KnownChain, hook: Address) => Promise<T>): Promise<T> {
  const node = await TestChain.start();
  try {
    const { governor, depositHook } = await setUp(node);
    const entry = { chain_id: 31_337, slug: 'anvil', name: 'Anvil', rpc_urls: [node.anvil.rpcUrl], start_block: 0 };
    const pace = { block_time_seconds: 1, confirmations: 1, observation_cadence_seconds: 15 };
    const [config] = loadChains(JSON.stringify([{ ...entry, ...pace, governor: governor.address }]));
    if (!config) throw new Error('No chain was read.');
    return await use({ config, client: chainClient(config) } as KnownChain, depositHook.address);
  } finally {
    await node.stop();
  }
}

const row = (name: string, { wall, cpu }: Spent, about = ''): void => {
  const times = [wall, cpu].map((seconds) => `${seconds.toFixed(2)} s`.padStart(12)).join('');
  process.stdout.write(`${name.padEnd(42)}${times}  ${about}\n`);
};

async function inspected(): Promise<LeafValue[]> {
  return withHook(async (chain, hook) => {
    const calls = Array.from({ length: LEAVES }, (_, index) => ({
      hook,
      calldata: hookData(addressOf(index), addressOf(LEAVES + index), 0n),
    }));
    const blockNumber = await chain.client.getBlockNumber();
    const options = { blockNumber, onProgress: () => undefined, signal: new AbortController().signal };
    const [spent, answers] = await spentOn(() => rpcInspect()(chain, calls, options));
    row('hooks asked on a local node', spent, `${Math.round(LEAVES / spent.wall)}/s`);
    return answers.map((args): LeafValue => ({ hook, args }));
  });
}

async function main(): Promise<void> {
  process.stdout.write(
    `${`a hooks tree of ${LEAVES} leaves`.padEnd(42)}${['time', 'processor'].map((word) => word.padStart(12)).join('')}\n`,
  );
  const values = await inspected();
  const wanted = encodePacked(['address', 'address'], [addressOf(0), addressOf(LEAVES)]);
  if (values[0]?.args !== wanted) throw new Error('The hook pins something else.');
  const [baseline, other] = await spentOn(() => hookTree(values.map(({ hook, args }) => hookLeaf(hook, args))));
  const [built, tree] = await spentOn(() => buildTree(values));
  if (tree.root !== other.root) throw new Error('The two builders disagree.');
  const nodeAt = (place: number): Hex | undefined => tree.nodes[place];
  const [proven, proofs] = await spentOn(() => tree.places.map((place) => proofAt(nodeAt, place)));
  const step = Math.max(1, Math.floor(LEAVES / CHECKED));
  for (let index = 0; index < LEAVES; index += step)
    if (!proves(tree.root, values[index] as LeafValue, proofs[index] as Hex[]))
      throw new Error('A proof does not hold.');
  const head = { root_hash: tree.root, leaf_encoding: [], chain_id: 1, vault_address: '', strategy_address: '' };
  const leaves = values.map(({ hook, args }, index) => ({
    index,
    leaf_hash: tree.nodes[tree.places[index] as number] as Hex,
    hook_address: hook,
    hook_name: 'Deposit',
    encoded_args: args,
    proof: proofs[index] as Hex[],
  }));
  const [written, artifact] = await spentOn((): Artifact => artifactOf(head, leaves));
  const ratio = ({ wall }: Spent) => `${(wall / baseline.wall).toFixed(2)} of the baseline`;
  row('the tree by our own builder (baseline)', baseline);
  row("the tree by OpenZeppelin's library", built, ratio(built));
  row('the proofs of all leaves', proven, ratio(proven));
  row('the artifact', written, `${(artifact.bytes / 1e6).toFixed(0)} MB in ${artifact.parts.length} parts`);
  const total = { wall: built.wall + proven.wall, cpu: built.cpu + proven.cpu };
  recordFigure({
    name: 'tree and proofs, processor',
    unit: 's',
    value: total.cpu,
    baseline: baseline.cpu,
    goal: GOAL_SECONDS,
  });
  const verdict = (seconds: number) => (seconds <= GOAL_SECONDS ? 'met' : 'MISSED');
  const verdicts = `${verdict(total.wall)} by time, ${verdict(total.cpu)} by processor time`;
  row('tree and proofs', total, `goal ${GOAL_SECONDS} s: ${verdicts}`);
}

await main();
