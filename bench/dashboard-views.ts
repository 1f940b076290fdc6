/**
 * What the dashboards of `dashboards.ts` show: 300 vaults and 1 000 people, made of answers that a local system gave. All three systems answer
 * from here, so that they answer the same bytes.
 */
import { GetOverview, GetVault, ListMyVaults, type ResultOf } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { examples } from '../services/gateway/src/openapi/examples.ts';

export const chainId = 31_337;
export const vaultCount = 300;
/** Vaults on which a person has a role. */
const vaultsOfPerson = 3;

const answerOf = (id: string): Record<string, unknown> => examples[id]?.answer as Record<string, unknown>;
// Taken apart once: fields are in the order of the contracts from here on, in all three systems.
const detail = { ...GetVault.result.parse(answerOf('vault')), my_role: 'primary_manager' as const };
const { receipts: _unasked, ...overview } = GetOverview.result.parse(answerOf('analyticsOverview'));
const list = ListMyVaults.result.parse(answerOf('myVaults'));
/** All rows of lists are like the first one. */
const row = list.vaults[0] as (typeof list.vaults)[number];

const addresses = Array.from({ length: vaultCount }, (_, index) => anAddress(0xa0_0001 + index));
const indexes = new Map<string, number>(addresses.map((address, index) => [address, index]));
export const vaultAddress = (index: number): (typeof addresses)[number] =>
  addresses[index % vaultCount] ?? anAddress(0);
export const walletOf = (person: number): string => anAddress(0xb0_0001 + person);
const personOf = (wallet: string): number => Number(BigInt(wallet)) - 0xb0_0001;

/** The vaults of a person; the first is the one whose overview is open. */
const vaultsOf = (person: number): number[] =>
  Array.from({ length: vaultsOfPerson }, (_, nth) => (person + nth * 100) % vaultCount);

/** Since `sinceMs` the chain has a block every `blockSeconds`, and each vault is read at every n-th of them; without blocks it stands still. */
export type Pace = { blockSeconds: number; sinceMs: number };
export const standing: Pace = { blockSeconds: 0, sinceMs: 0 };
/** As often as `vaults` reads a vault without events: every 13 s, with blocks of 2 s. */
const blocksOfReading = 7;
const firstBlock = 1_000;

/** The newest block at a moment. */
export const blockAt = ({ blockSeconds, sinceMs }: Pace, nowMs = Date.now()): number =>
  firstBlock + (blockSeconds === 0 ? 0 : Math.max(0, Math.floor((nowMs - sinceMs) / 1000 / blockSeconds)));

/** The block at which a vault was read last: a seventh of all vaults is read at each. */
export const readingAt = (index: number, block: number): number =>
  Math.max(firstBlock, block - ((block - index) % blocksOfReading));

/** What a system answers now. */
export type Views = {
  list(wallet: string): ResultOf<typeof ListMyVaults>;
  detail(address: string): ResultOf<typeof GetVault>;
  overview(address: string): ResultOf<typeof GetOverview>;
  /** At which block a vault was read last. */
  readAt(address: string): number;
  /** The vaults of a wallet, each with that block. */
  readsOf(wallet: string): string[];
};

/** @param pace - asked for at each answer: it changes while a system runs. */
export function createViews(pace: () => Pace): Views {
  const place = (index: number, block_number: number) => ({
    chain_id: chainId,
    vault_address: vaultAddress(index),
    block_number,
    // A reading moves the figures; one of them is enough for other bytes.
    tvl_usd: 1_000_000 + block_number,
  });
  const read = (index: number) => place(index, readingAt(index, blockAt(pace())));
  const indexOf = (address: string): number => indexes.get(address) ?? 0;
  return {
    list: (wallet) => ({
      ...list,
      vaults: vaultsOf(personOf(wallet)).map((index) => ({ ...row, ...read(index), my_role: 'primary_manager' })),
      total: vaultsOfPerson,
      has_more: false,
      next_cursor: null,
    }),
    detail: (address) => ({ ...detail, ...read(indexOf(address)) }),
    readAt: (address) => readingAt(indexOf(address), blockAt(pace())),
    readsOf: (wallet) => vaultsOf(personOf(wallet)).map((index) => `${index}@${readingAt(index, blockAt(pace()))}`),
    // Analytics answers as of the newest block of the chain.
    overview: (address) => ({ ...overview, ...place(indexOf(address), blockAt(pace())) }),
  };
}

/** What a dashboard asks at each poll. */
export const pathsOf = (person: number): Readonly<Record<'list' | 'detail' | 'overview', string>> => {
  const vault = `/api/v1/vaults/${chainId}/${vaultAddress(person)}`;
  return { list: '/api/v1/vaults', detail: vault, overview: `${vault}/analytics/overview` };
};
