import { AppError } from '@castellan/contracts';
import type { ArtifactStore } from '../adapters/artifact-store.mongo.ts';
import { artifactOf } from '../domain/artifact.ts';
import { leafEncoding, nodesOf, proofAt } from '../domain/tree.ts';
import type { JobDocument } from '../models/hook-trees.ts';
import { type GeneratePorts, type Running, writeHeld } from './generate.ts';

export type PublishPorts = Pick<GeneratePorts, 'trees' | 'now'> & { artifacts: ArtifactStore };

/** Stores a tree with its proofs where anybody reads it, and names it as the vault's published one. */
export async function publishTree(ports: PublishPorts, job: JobDocument, running: Running): Promise<string> {
  const tree = job.tree_id === null ? null : await ports.trees.get(job.tree_id);
  if (!tree) throw new AppError('HOOKS_TREE_NOT_FOUND', 'The tree of this job no longer exists. Generate it again.');
  const stored = await ports.trees.leaves(tree._id, 0, tree.leaf_count);
  if (stored.length !== tree.leaf_count) throw new Error(`The tree ${tree._id} lacks leaves.`);
  const nodeAt = nodesOf(tree);
  const head = {
    root_hash: tree.root,
    leaf_encoding: leafEncoding,
    chain_id: tree.chain_id,
    vault_address: tree.vault_address,
    strategy_address: tree.strategy_address,
  };
  const leaves = stored.map(({ params: _params, node, ...leaf }) => ({ ...leaf, proof: proofAt(nodeAt, node) }));
  const artifact = artifactOf(head, leaves);
  await ports.artifacts.save(artifact, (done) => running.onProgress(done, artifact.parts.length));
  const document = {
    tree_id: tree._id,
    root: tree.root,
    artifact_hash: artifact.hash,
    total_leaves: tree.leaf_count,
  };
  await writeHeld(
    running,
    () => ports.artifacts.published(job),
    (before) => ports.artifacts.publish(job, { ...document, published_at: new Date(ports.now()) }, before),
  );
  return tree._id;
}
