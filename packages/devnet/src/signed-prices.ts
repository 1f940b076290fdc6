import { createRequire } from 'node:module';
import { calculatedPps, ppsDomainSeparator, updatePpsDigest } from '@castellan/chain';
import { type Address, type Hex, hexToBytes, toHex } from 'viem';
import { account, cast } from './accounts.ts';
import type { World } from './world.ts';

/** What one vault holds at the latest block, in base units. */
export type Position = { idle: bigint; supply: bigint; tvl: bigint[]; nonce: bigint; paused: boolean };

/** The argument of `updatePPS`. */
export type PriceBatch = { strategies: Address[]; proofsArray: Hex[][]; ppss: bigint[]; timestamps: bigint[] };

/**
 * What the validators would report: idle assets and sources over the shares of each vault, signed at `timestamp`.
 * Vaults that are paused or have no shares are left out.
 * @param positions - One for each vault of the world, in its order, all read at one block.
 */
export function signPrices(
  { core, chainId, vaults }: World,
  positions: readonly Position[],
  timestamp: bigint,
): PriceBatch {
  const domain = {
    name: 'ECDSAPPSOracle',
    version: '1.0',
    chainId: BigInt(chainId),
    verifyingContract: core.ppsOracle,
  };
  const domainSeparator = ppsDomainSeparator(domain);
  const entries: { strategy: Address; pps: bigint; proofs: Hex[] }[] = [];
  for (const [index, { strategy, plan }] of vaults.entries()) {
    const position = positions[index];
    if (!position || position.supply === 0n || position.paused) continue;
    const pps = calculatedPps({
      idle: position.idle,
      sources: position.tvl.map((assets) => ({ assets })),
      totalSupply: position.supply,
      precision: 10n ** BigInt(plan.asset.decimals),
    });
    if (pps === null) continue;
    const hash = updatePpsDigest({ strategy, pps, timestamp, nonce: position.nonce, domainSeparator });
    entries.push({ strategy, pps, proofs: signatures(hash) });
  }
  entries.sort((a, b) => (BigInt(a.strategy) < BigInt(b.strategy) ? -1 : 1));
  return {
    strategies: entries.map(({ strategy }) => strategy),
    proofsArray: entries.map(({ proofs }) => proofs),
    ppss: entries.map(({ pps }) => pps),
    timestamps: entries.map(() => timestamp),
  };
}

const require = createRequire(import.meta.url);
/** libsecp256k1; where it has no build for this machine, the package's own curve. The keys are public. */
const { ecdsaSign } = require('secp256k1') as {
  ecdsaSign(hash: Uint8Array, secret: Uint8Array): { signature: Uint8Array; recid: number };
};

/** Three of the four validators' keys, in the order the contract wants: ascending by signer. */
const signingKeys = cast.signers
  .map((index) => account(index))
  .sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
  .slice(0, 3)
  .map((signer) => signer.getHdKey().privateKey as Uint8Array);

const signatures = (hash: Hex): Hex[] =>
  signingKeys.map((key) => {
    const { signature, recid } = ecdsaSign(hexToBytes(hash), key);
    return toHex(Uint8Array.of(...signature, 27 + recid));
  });
