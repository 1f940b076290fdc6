import type { VaultDetail } from '@castellan/contracts';
import type { ContextFigure } from '../domain/figure.ts';

/** Text that somebody else wrote: names of vaults, tokens, sources and people, posts. Quoted and fenced, never followed. */
export type Untrusted = { what: string; text: string };

/**
 * Everything an analyst may know of one vault at one block, read with the rights of who asks. Figures are the only numbers that
 * may be said; `reasons` says why a figure has no value, by path.
 */
export type VaultContext = {
  chainId: number;
  vaultAddress: string;
  blockNumber: number;
  asOf: string;
  detail: VaultDetail;
  figures: readonly ContextFigure[];
  reasons: Readonly<Record<string, string>>;
  /** Addresses and hashes that occur, lower case. */
  identifiers: ReadonlySet<string>;
  untrusted: readonly Untrusted[];
};
