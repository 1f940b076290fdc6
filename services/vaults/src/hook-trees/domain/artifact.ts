import { createHash } from 'node:crypto';
import type { LeafProof } from '@castellan/contracts';
import type { z } from 'zod';

/** A part travels in one message of the bus, which holds 1 MiB. */
const PART_BYTES = 262_144;

/** What an artifact says before its leaves; addresses are EIP-55. */
export type ArtifactHead = {
  root_hash: string;
  leaf_encoding: readonly string[];
  chain_id: number;
  vault_address: string;
  strategy_address: string;
};
/** The text in parts of about 256 KiB; `bytes` is their sum, `hash` the SHA-256 of the whole. */
export type Artifact = { hash: string; bytes: number; parts: string[] };

/** A tree with its proofs as one JSON text, cut into parts. The same tree is the same bytes, and its name is their SHA-256. */
export function artifactOf(head: ArtifactHead, leaves: Iterable<z.output<typeof LeafProof>>): Artifact {
  const parts: string[] = [];
  let part = `${JSON.stringify(head).slice(0, -1)},"leaves":[`;
  let isFirst = true;
  for (const leaf of leaves) {
    if (part.length > PART_BYTES) {
      parts.push(part);
      part = '';
    }
    part += `${isFirst ? '' : ','}\n${JSON.stringify(leaf)}`;
    isFirst = false;
  }
  parts.push(`${part}\n]}\n`);
  const hash = createHash('sha256');
  let bytes = 0;
  for (const text of parts) {
    hash.update(text);
    bytes += Buffer.byteLength(text);
  }
  return { hash: `0x${hash.digest('hex')}`, bytes, parts };
}
