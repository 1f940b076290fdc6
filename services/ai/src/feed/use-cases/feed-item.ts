import { explorerLink } from '@castellan/chain';
import {
  Address,
  type Chain,
  type FeedItem,
  type VaultDetail,
  type VaultSection,
  vaultSectionPath,
  vaultSections,
} from '@castellan/contracts';
import { type Said, sayFact, shortAddress, type Words } from '../domain/fact-sentences.ts';
import type { FeedKind, Figures } from '../domain/notable.ts';
import type { StoredItem, StoredPart } from '../models/feed-collections.ts';

/** What an item is shown with: the vault as the reader sees it, and its chain. */
export type Shown = { detail: VaultDetail; chain: Chain | undefined };

/** Where the page of a vault shows more of it. */
const sections: Readonly<Record<Exclude<FeedKind, 'post'>, VaultSection>> = {
  large_deposit: 'operations',
  large_withdrawal: 'operations',
  price_anomaly: 'pricing',
  skim: 'fees',
  pause: 'overview',
  role_change: 'managers',
  source_change: 'allocation',
  setting_change: 'overview',
  upkeep: 'fees',
};
/** Several facts of one kind, as a title says them. */
const severally: Readonly<Record<Exclude<FeedKind, 'post'>, string>> = {
  large_deposit: 'large deposits',
  large_withdrawal: 'large withdrawals',
  price_anomaly: 'notices of the price',
  skim: 'skims',
  pause: 'changes of the pause',
  role_change: 'changes of roles',
  source_change: 'changes of yield sources',
  setting_change: 'changes of settings',
  upkeep: 'notices of the upkeep',
};
const mostLinks = 5;

const namesIn = ({ managers }: VaultDetail): Map<string, string> =>
  new Map(
    [managers.primary, ...managers.secondary].flatMap(({ wallet_address, display_name }) =>
      display_name === null ? [] : [[wallet_address.toLowerCase(), display_name] as const],
    ),
  );

const wordsOf = (detail: VaultDetail): Words => {
  const { symbol, decimals } = detail.upkeep_info;
  const names = namesIn(detail);
  const sources = new Map(detail.allocation.map(({ source_address, name }) => [source_address.toLowerCase(), name]));
  return {
    asset: { symbol: detail.asset.symbol, decimals: detail.asset.decimals },
    upkeep: symbol !== null && decimals !== null ? { symbol, decimals } : null,
    ppsDecimals: detail.pps_precision.length - 1,
    nameOf: (wallet) => names.get(wallet.toLowerCase()) ?? shortAddress(wallet),
    sourceName: (address) => sources.get(address.toLowerCase()) ?? null,
  };
};

/** Whole sentences: the title, then what belongs to it. */
const sentence = ({ title, body }: Said): string => (body === '' ? `${title}.` : `${title}. ${body}`);

function saidOf(kind: FeedKind, parts: readonly StoredPart[], words: Words): Said {
  const [first] = parts;
  if (first && parts.length === 1) return sayFact(first, words);
  const names = new Set(parts.map(({ name }) => name));
  const title = `${parts.length} ${severally[kind as keyof typeof severally]}`;
  const said = parts.map((part) => sentence(sayFact(part, words)));
  // The same words over and over say no more than once.
  const lines = names.size === 1 && new Set(said).size === 1 ? said.slice(0, 1) : said;
  return { title, body: lines.join('\n') };
}

/** Figures that add up, over all facts of an item. */
const summed: Partial<Record<FeedKind, readonly string[]>> = {
  large_deposit: ['assets', 'shares'],
  large_withdrawal: ['assets', 'shares'],
  skim: ['totalFee', 'superformFee'],
};

const asMetric = (value: Figures[string]): number | string | null =>
  typeof value === 'boolean' ? String(value) : value;

/** The figures of the last fact as they are in the log, what adds up over all of them, how many they are, and who acted. */
function metricsOf(kind: FeedKind, parts: readonly StoredPart[]): FeedItem['metrics'] {
  const last = parts.at(-1);
  const figures = Object.entries(last?.figures ?? {}).map(([name, value]) => [name, asMetric(value)]);
  const sums = (summed[kind] ?? []).map((name) => [
    name,
    `${parts.reduce((total, part) => total + BigInt(String(part.figures[name] ?? 0)), 0n)}`,
  ]);
  return {
    ...Object.fromEntries(figures),
    ...Object.fromEntries(sums),
    count: parts.length,
    actor: last?.actor ?? null,
  };
}

function linksOf(kind: FeedKind, parts: readonly StoredPart[], { detail, chain }: Shown): FeedItem['links'] {
  const hashes = [...new Set(parts.flatMap(({ tx_hash }) => (tx_hash === null ? [] : [tx_hash])))];
  const transactions = hashes.slice(0, mostLinks).flatMap((hash) => {
    const url = explorerLink(chain?.explorer_url ?? null, 'tx', hash);
    return url === null ? [] : [{ label: 'Transaction', url }];
  });
  const section = sections[kind as keyof typeof sections];
  const url = vaultSectionPath(detail.chain_slug, detail.vault_address, section);
  return [...transactions, { label: vaultSections[section], url }];
}

function authorOf(wallet: string, detail: VaultDetail): FeedItem['author'] {
  const display_name = namesIn(detail).get(wallet) ?? null;
  return { wallet_address: Address.parse(wallet), display_name };
}

/** An item as a reader of the vault sees it. */
export function itemOf({ _id, kind, severity, t, parts: all, post }: StoredItem, shown: Shown): FeedItem {
  const common = { id: _id, t: t.toISOString(), kind, severity };
  if (post !== null) {
    const { title, body, version, edited_at, author } = post;
    return {
      ...common,
      ...{ title, body, version, edited_at: edited_at?.toISOString() ?? null },
      ...{ author: authorOf(author, shown.detail), links: [], metrics: {}, tx_hash: null },
    };
  }
  const parts = all.filter(({ voided_by }) => voided_by === null);
  return {
    ...common,
    ...saidOf(kind, parts, wordsOf(shown.detail)),
    author: null,
    links: linksOf(kind, parts, shown),
    metrics: metricsOf(kind, parts),
    tx_hash: parts[0]?.tx_hash ?? null,
    version: parts.length,
    edited_at: null,
  };
}
