import type { Hex } from 'viem';

/** For all oracles; no key is written like this. */
export const toAll = 'all';

/** How an oracle is called in subjects: its off-chain key, which stays its own when governance changes the order of the oracles. */
export const nameOf = (offchainKey: Hex): string => offchainKey.slice(2).toLowerCase();

/** Half of the digest in hex: enough to keep configurations apart; the envelope carries all of it. */
export const prefixOf = (network: string, digest: Hex): string =>
  `ocr2.${network}.${digest.slice(2, 18).toLowerCase()}`;

/** What an oracle may publish, and what it hears, under any configuration of a network. */
export const subjectsOf = (network: string, offchainKey: Hex) => ({
  publish: [`ocr2.${network}.*.${nameOf(offchainKey)}.*`],
  subscribe: [`ocr2.${network}.*.*.${toAll}`, `ocr2.${network}.*.*.${nameOf(offchainKey)}`],
});
