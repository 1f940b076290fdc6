import { encodeReport } from '../../../src/plugin/report.ts';
import { encodeMessage } from '../../../src/protocol/messages.ts';
import { attestationMessage } from '../../../src/protocol/signing.ts';
import { type PriceWorld, vaultAt } from './price-world.ts';
import type { Prng } from './prng.ts';

const entries = 30;

/** Finals of prices that nobody agreed on, attested by the sender and, as it claims, by others. */
export function inventedEcho({ n, f, random }: { n: number; f: number; random: Prng }) {
  const report = encodeReport(
    Array.from({ length: entries }, (_, i) => ({
      chainId: 31_337,
      strategy: vaultAt(1_000 + i).strategy,
      nonce: 1n,
      timestamp: 1n,
      pps: 1_000_000n + BigInt(random.int(0, 1_000)),
    })),
  );
  const all = Array.from({ length: n }, (_, i) => i);
  return {
    isOf: (other: Uint8Array) => Buffer.compare(report, other) === 0,
    make: ({ config, keys, oracles, leaderOf }: PriceWorld, from: number): Uint8Array => {
      const { epoch } = oracles[leaderOf(1)]?.inspect() ?? { epoch: 1 };
      const at = { epoch, round: random.int(1, config.timing.rMax) };
      const outcome = { inputs: random.bytes(32), observers: all.slice(0, 2 * f + 1), report };
      const signatures = all.map((signer) => {
        const signature = new Uint8Array(entries * 65).fill(random.int(1, 255));
        const message = attestationMessage({ ...at, digest: config.digest }, outcome, signature);
        const attestation = signer === from ? keys.signNow(from, message) : random.bytes(64);
        return { signer, signature, attestation };
      });
      return encodeMessage({ kind: 'final_echo', ...at, ...outcome, signatures });
    },
  };
}
