import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { NetworkConfig } from '../ports.ts';
import { writer } from './bytes.ts';

type Keyed = Pick<NetworkConfig, 'seed' | 'digest'>;

const leaderLabel = utf8ToBytes('castellan-ocr2/leader/v1');
const transmitLabel = utf8ToBytes('castellan-ocr2/transmit/v1');

/**
 * A permutation of 0 to n-1: Fisher-Yates from the end, drawing big-endian u32 words from HMAC-SHA256(seed, label, digest,
 * context, block number) with rejection of the uneven rest.
 */
function permutation({ seed, digest }: Keyed, label: Uint8Array, context: Uint8Array, n: number): number[] {
  const prefix = writer()
    .raw(label)
    .raw(hexToBytes(digest.slice(2)))
    .raw(context)
    .done();
  let block = new DataView(new ArrayBuffer(0));
  let blocks = 0;
  let at = 0;
  const word = (): number => {
    if (at === block.byteLength) {
      const bytes = hmac(sha256, seed, writer().raw(prefix).u32(blocks).done());
      block = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      blocks += 1;
      at = 0;
    }
    at += 4;
    return block.getUint32(at - 4);
  };
  const below = (bound: number): number => {
    const even = Math.floor(2 ** 32 / bound) * bound;
    for (;;) {
      const drawn = word();
      if (drawn < even) return drawn % bound;
    }
  };
  const order = Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i -= 1) {
    const j = below(i + 1);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

/** Who leads each epoch: one permutation per span of n epochs, so that everyone leads once per span. */
export function leaderSchedule(config: Pick<NetworkConfig, 'seed' | 'digest' | 'oracles'>): (epoch: number) => number {
  const n = config.oracles.length;
  let cached: { span: number; order: number[] } | undefined;
  return (epoch) => {
    const span = Math.floor(epoch / n);
    if (cached?.span !== span) cached = { span, order: permutation(config, leaderLabel, writer().u32(span).done(), n) };
    return cached.order[epoch % n] as number;
  };
}

/** In which order the oracles transmit the report of this round; fresh for each report, the same on all nodes. */
export function transmissionOrder(
  config: Pick<NetworkConfig, 'seed' | 'digest' | 'oracles'>,
  epoch: number,
  round: number,
): number[] {
  return permutation(config, transmitLabel, writer().u32(epoch).u8(round).done(), config.oracles.length);
}

/** The stage in which `place` of the order transmits; null: never. */
export function stageOf(stages: readonly number[], place: number): number | null {
  let seats = 0;
  for (const [stage, size] of stages.entries()) {
    seats += size;
    if (place < seats) return stage;
  }
  return null;
}
