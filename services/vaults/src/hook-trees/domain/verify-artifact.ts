import { createHash } from 'node:crypto';
import { hookLeaf, hookTree, verifyHookProof } from '@castellan/chain';
import { TreeArtifact } from '@castellan/contracts';
import type { Address, Hex } from 'viem';
import type { z } from 'zod';

/** The file is no artifact, or not what its name and root stand for. */
export class ArtifactNotVerified extends Error {}

type Artifact = z.output<typeof TreeArtifact>;
/** What is known of the artifact beforehand: its name, and the root that is on the chain. */
type Known = { hash?: Hex | undefined; root?: Hex | undefined };
/** What was read, and the SHA-256 of its bytes. */
export type VerifiedArtifact = { artifact: Artifact; hash: Hex };

const Strict = TreeArtifact.strict().extend({ leaves: TreeArtifact.shape.leaves.element.strict().array() });

function artifactIn(bytes: Uint8Array): Artifact {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ArtifactNotVerified('it is not JSON');
  }
  const { data, error } = Strict.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new ArtifactNotVerified(`it is no artifact: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
}

/** Each leaf is the hook and the arguments that stand beside it, and is there once. */
function checkLeaves({ leaves }: Artifact): void {
  const seen = new Set<string>();
  for (const [place, { index, leaf_hash, hook_address, encoded_args }] of leaves.entries()) {
    if (index !== place) throw new ArtifactNotVerified(`leaf ${index} stands at the place of leaf ${place}`);
    if (hookLeaf(hook_address as Address, encoded_args as Hex) !== leaf_hash)
      throw new ArtifactNotVerified(`leaf ${index} is not of its hook and arguments`);
    if (seen.has(leaf_hash)) throw new ArtifactNotVerified(`leaf ${index} is there twice`);
    seen.add(leaf_hash);
  }
}

/** The leaves are all that are under the root, and each proof leads to it. */
function checkTree({ leaves, root_hash }: Artifact): void {
  if (leaves.length === 0) throw new ArtifactNotVerified('it has no leaves');
  const { root } = hookTree(leaves.map(({ leaf_hash }) => leaf_hash as Hex));
  if (root !== root_hash) throw new ArtifactNotVerified(`its leaves make the root ${root}, not ${root_hash}`);
  for (const { index, leaf_hash, proof } of leaves)
    if (!verifyHookProof(leaf_hash as Hex, proof as Hex[], root_hash as Hex))
      throw new ArtifactNotVerified(`the proof of leaf ${index} does not lead to the root`);
}

/**
 * Verifies the bytes of a published tree, with another builder than the one that made it.
 * @throws ArtifactNotVerified naming what is wrong.
 */
export function verifyArtifact(bytes: Uint8Array, known: Known): VerifiedArtifact {
  const hash: Hex = `0x${createHash('sha256').update(bytes).digest('hex')}`;
  if (known.hash !== undefined && known.hash.toLowerCase() !== hash)
    throw new ArtifactNotVerified(`its SHA-256 is ${hash}, not ${known.hash}`);
  const artifact = artifactIn(bytes);
  if (known.root !== undefined && known.root.toLowerCase() !== artifact.root_hash)
    throw new ArtifactNotVerified(`it is the tree of ${artifact.root_hash}, not of ${known.root}`);
  checkLeaves(artifact);
  checkTree(artifact);
  return { artifact, hash };
}
