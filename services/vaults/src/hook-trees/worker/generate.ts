import { AppError } from '@castellan/contracts';
import type { Hex } from 'viem';
import type { ChainDirectory } from '../../chains/chain-directory.ts';
import type { SnapshotReader } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { ConfigStore } from '../adapters/config-store.mongo.ts';
import type { InspectHooks } from '../adapters/inspect.rpc.ts';
import { type TreeStore, treeIdOf } from '../adapters/tree-store.mongo.ts';
import type { KeptRow } from '../domain/rows.ts';
import { buildTree, distinct, packNodes, proofAt, proves } from '../domain/tree.ts';
import type { ConfigDocument, JobDocument, StoredLeaf } from '../models/hook-trees.ts';

export type GeneratePorts = {
  chains: ChainDirectory;
  snapshots: Pick<SnapshotReader, 'get'>;
  configs: ConfigStore;
  trees: TreeStore;
  inspect: InspectHooks;
  now: () => number;
};
export type Running = {
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
  /** @throws {Error} when another process has the job now. */
  requireHeld: () => Promise<void>;
};

/**
 * Writes what the vault has only one of: reads what is there, sees that the job is still ours, and writes if it is still there. A
 * process whose lease ended in between does not undo what the next holder wrote.
 */
export async function writeHeld<T>(
  { requireHeld }: Running,
  read: () => Promise<T>,
  write: (before: T) => Promise<boolean>,
): Promise<void> {
  for (;;) {
    const before = await read();
    await requireHeld();
    if (await write(before)) return;
  }
}

type Value = { hook: KeptRow['hook_address']; args: Hex; row: KeptRow };

/** @throws AppError HOOK_ROW_REFUSED: the leaf would allow something else than the row says. */
function requirePinned({ pinned, hook_name }: KeptRow, answer: Hex, row: number): void {
  if (answer.toLowerCase() === pinned.toLowerCase()) return;
  const detail = `The hook ${hook_name} of row ${row} pins ${answer}, and not the parameters ${pinned} of the row. Its entry in the registry is wrong.`;
  throw new AppError('HOOK_ROW_REFUSED', detail, { data: { row } });
}

/** The tree over what the hooks said, and its leaves. @throws {Error} when a proof does not hold: a mistake of ours. */
export function treeOf(rows: readonly KeptRow[], answers: readonly Hex[]) {
  const values = distinct(
    rows.map((row, index): Value => ({ hook: row.hook_address, args: answers[index] as Hex, row })),
  );
  const built = buildTree(values);
  const leaves = values.map(({ row, args }, index): StoredLeaf => {
    const node = built.places[index] as number;
    return {
      index,
      leaf_hash: built.nodes[node] as Hex,
      hook_address: row.hook_address,
      hook_name: row.hook_name,
      encoded_args: args,
      params: row.params,
      node,
    };
  });
  for (const [index, { node }] of leaves.entries()) {
    const proof = proofAt((place) => built.nodes[place], node);
    if (!proves(built.root, values[index] as Value, proof))
      throw new Error(`The proof of leaf ${index} does not hold.`);
  }
  return { root: built.root, nodes: built.nodes, leaves };
}

/**
 * Generates the tree of a configuration: every hook is asked on the chain what its leaf pins, and the answer compared with what
 * the row says.
 * @returns the id of the tree.
 */
export async function generateTree(ports: GeneratePorts, job: JobDocument, running: Running): Promise<string> {
  const config = await ports.configs.get(job.config_id);
  const snapshot = await ports.snapshots.get(job.chain_id, job.vault);
  if (!config || !snapshot)
    throw new AppError('HOOK_CONFIG_NOT_FOUND', 'The configuration of this job no longer exists.');
  const { rows } = config;
  const chain = ports.chains.get(job.chain_id);
  const blockNumber = await chain.client.getBlockNumber();
  const calls = rows.map(({ hook_address: hook, calldata }) => ({ hook, calldata }));
  const answers = await ports.inspect(chain, calls, {
    blockNumber,
    onProgress: (done) => running.onProgress(done, rows.length),
    signal: running.signal,
  });
  for (const [index, row] of rows.entries()) requirePinned(row, answers[index] as Hex, index);
  const { root, nodes, leaves } = treeOf(rows, answers);
  const id = treeIdOf(job, root);
  const at = new Date(ports.now());
  running.signal.throwIfAborted();
  await ports.trees.save(
    {
      _id: id,
      chain_id: job.chain_id,
      vault: job.vault,
      vault_address: job.vault_address,
      strategy_address: snapshot.detail.strategy_address,
      root,
      leaf_count: leaves.length,
      row_count: rows.length,
      ...configOf(config),
      block_number: Number(blockNumber),
      created_at: at,
      place: `${at.toISOString()} ${id}`,
      nodes: packNodes(nodes),
    },
    leaves,
  );
  await writeHeld(
    running,
    async () => (await ports.configs.treesOf([config._id])).get(config._id),
    (before) => ports.configs.setTree(config._id, id, before),
  );
  return id;
}

const configOf = ({ version, config_hash }: ConfigDocument) => ({ config_version: version, config_hash });
