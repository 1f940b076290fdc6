import type { Address } from 'viem';
import type { Running } from '../chain/config-tracker.ts';
import type { NodeConfig } from '../config/load.ts';
import { strategyKey } from '../ports.ts';
import type { SignedSoFar } from '../store/guard.ts';
import type { MongoProtocolStore } from '../store/protocol-store.ts';

/** What a price signature may have been given for before this node has its guard. */
export type PricesSoFar = {
  chainId: number;
  /** Of the newest block that any endpoint has. */
  headSeconds: bigint;
  nonces: readonly { strategy: Address; nonce: bigint }[];
};

export class EmptyGuardError extends Error {
  override readonly name = 'EmptyGuardError';
}

type Options = {
  store: Pick<MongoProtocolStore, 'hasGuard' | 'beginGuard'>;
  signer: Address;
  setting: NodeConfig['ocr2']['empty_guard'];
  /** A price may be signed whose time is this far ahead of the chain's. */
  futureToleranceSeconds: number;
  chains: readonly { pricesSoFar(): Promise<PricesSoFar> }[];
};

const nothing: SignedSoFar = { rounds: {}, entries: {} };

/**
 * Makes sure that this signer has a guard before it takes part. A signer that no configuration lists yet has signed nothing, and one
 * that is listed may have: without its guard it is refused, or signs no price as old as what it may have signed, and nothing before an
 * epoch was waited out.
 * @throws EmptyGuardError naming the setting; what a chain threw that could not be read.
 */
export async function ensureGuard(kind: Running['kind'], options: Options): Promise<void> {
  const { store, signer, setting, chains } = options;
  if (kind === 'refused' || (await store.hasGuard())) return;
  if (kind === 'outsider' || setting === 'sign') return store.beginGuard(nothing);
  if (setting === 'refuse')
    throw new EmptyGuardError(
      `The configuration of the network lists ${signer}, and the document store has no guard of what it signed. ` +
        'Bring the store itself back (never an older copy), or import the guard (castellan-validator guard import). Only if both are lost, or this key never ' +
        'signed, set ocr2.empty_guard = "wait": the node then signs after it has waited out an epoch.',
    );
  const read = await Promise.all(chains.map((chain) => chain.pricesSoFar()));
  const entries = read.flatMap(({ chainId, headSeconds, nonces }) =>
    nonces.map(({ strategy, nonce }) => {
      const timestamp = headSeconds + BigInt(options.futureToleranceSeconds);
      return [strategyKey(chainId, strategy), { nonce, timestamp }] as const;
    }),
  );
  await store.beginGuard({ rounds: {}, entries: Object.fromEntries(entries), recovering: true });
}
