import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Point } from '../../charts/types.ts';
import type { Api } from '../../client/api.ts';
import { POLL_MS } from '../../data/queries.ts';
import { formatAmount, formatExact, toDecimal } from '../../format/amount.ts';
import { formatBps, NONE } from '../../format/figures.ts';
import { numberFormat } from '../../format/number-format.ts';
import { formatMilliseconds } from '../../format/time.ts';

export type History = Awaited<ReturnType<Api['validatorHistory']>>;
export type Bucket = History['buckets'][number];
export type Sent = NonNullable<Bucket['sent']>[number];
export type NodeRecord = History['nodes'][number];
export type VaultRecord = History['vaults'][number];
export type RoundDetail = Awaited<ReturnType<Api['validatorRound']>>;
export type RoundsPage = Awaited<ReturnType<Api['validatorRounds']>>;
export type Measured = Bucket['round_ms'];

export const windows = ['24h', '7d', '30d', '90d'] as const;
export type Window = (typeof windows)[number];
export const isWindow = (text: string | null): text is Window => windows.some((window) => window === text);

export type Asked = { window: Window; signer: string; vault: string };

const HISTORY_POLL_MS = 60_000;
/** Nodes report late, and the chain confirms later. */
const SETTLED_MS = 10 * 60_000;
/** What a round agreed on is sent within a day, or never. */
const SENT_WITHIN_MS = 24 * 3_600_000;
/** Wei of the coin that gas is paid in. */
export const WEI_DECIMALS = 18;
const PPB_OF_BPS = 100_000;

export const historyQuery = (api: Api, { window, signer, vault }: Asked) =>
  queryOptions({
    queryKey: ['network', 'history', window, signer, vault] as const,
    queryFn: () =>
      api.validatorHistory({
        query: {
          window,
          ...(signer === '' ? {} : { signer }),
          ...(vault === '' ? {} : { vault_id: vault }),
        },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: HISTORY_POLL_MS,
  });

export const roundFilters = ['incomplete', 'lost', 'report', 'skip'] as const;
export type RoundFilter = (typeof roundFilters)[number];
export const isRoundFilter = (text: string | null): text is RoundFilter =>
  roundFilters.some((filter) => filter === text);

export type RoundsAsked = Pick<Asked, 'signer' | 'vault'> & { filter: RoundFilter | '' };

const PAGE = '25';

/** All rounds that are kept, page by page. */
export const roundsQuery = (api: Api, { signer, vault, filter }: RoundsAsked) =>
  infiniteQueryOptions({
    queryKey: ['network', 'rounds', signer, vault, filter] as const,
    queryFn: ({ pageParam }) =>
      api.validatorRounds({
        query: {
          limit: PAGE,
          ...(signer === '' ? {} : { signer }),
          ...(vault === '' ? {} : { vault_id: vault }),
          ...(filter === '' ? {} : { filter }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    // Somebody who reads older rounds is not interrupted by new ones.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : HISTORY_POLL_MS),
  });

export type RoundPlace = { config_digest: string; epoch: string; round: string };

/** Nothing of it changes any more. */
export function isRoundOver({ as_of, finished_at, outcome, transactions }: RoundDetail): boolean {
  const age = Date.parse(as_of) - Date.parse(finished_at);
  // Prices that nobody has sent yet may still be.
  const isSent = outcome === 'skip' || transactions.length > 0;
  return (
    age > SENT_WITHIN_MS || (age > SETTLED_MS && isSent && transactions.every(({ ended_at }) => ended_at !== null))
  );
}

export const roundQuery = (api: Api, params: RoundPlace) =>
  queryOptions({
    queryKey: ['network', 'round', params.config_digest, params.epoch, params.round] as const,
    queryFn: () => api.validatorRound({ params }),
    refetchInterval: ({ state }) => (state.data !== undefined && isRoundOver(state.data) ? false : POLL_MS),
  });

export const roundPath = (digest: string, { epoch, round }: { epoch: number; round: number }): string =>
  `/validators/rounds/${digest}/${epoch}/${round}`;

/** One point for each part of the window: a part without a record is a gap, never a zero. */
export function pointsOf(
  { from, to, bucket_seconds, buckets }: Pick<History, 'from' | 'to' | 'bucket_seconds' | 'buckets'>,
  read: (bucket: Bucket) => number | null,
): Point[] {
  const found = new Map(buckets.map((bucket) => [Date.parse(bucket.t), bucket]));
  const points: Point[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += bucket_seconds * 1_000) {
    const bucket = found.get(at);
    points.push([at, bucket === undefined ? null : read(bucket)]);
  }
  return points;
}

/** The sum where every one is known; null where one is not. */
export const sumKnown = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((total, value) => (total === null || value === null ? null : total + value), 0);

export const nodeNameOf = ({ node_id, index }: Pick<NodeRecord, 'node_id' | 'index'>): string =>
  node_id ?? `node ${index}`;

/** A part of a whole; null where there was no whole. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

export const bpsOf = (ppb: number): number => ppb / PPB_OF_BPS;
export const formatPpb = (ppb: number): string => formatBps(bpsOf(ppb));

/** Shown where only the sum over all vaults is known. */
export const NOT_BY_VAULT = 'not known for one vault';

/** Shown where nobody recorded anything. */
export const NOT_RECORDED = 'not recorded';

export const formatMeanMs = (values: Measured): string =>
  values === null ? NOT_RECORDED : formatMilliseconds(values.mean);
export const formatMeanPpb = (values: Measured): string => (values === null ? NOT_RECORDED : formatPpb(values.mean));
export const formatMost = (values: Measured, format: (value: number) => string): string =>
  values === null ? NONE : format(values.max);

export const formatWei = (wei: string, symbol: string): string => `${formatAmount(wei, WEI_DECIMALS)} ${symbol}`;

const GWEI_DECIMALS = 9;
const short = numberFormat({ maximumSignificantDigits: 3 });

/** A price of gas to three digits, as wallets have it. */
export const formatGwei = (wei: string): string => `${short.format(Number(toDecimal(wei, GWEI_DECIMALS)))} gwei`;
export const exactGwei = (wei: string): string => `${formatExact(wei, GWEI_DECIMALS)} gwei`;

/** All that is known to have been sent, over nodes or parts of a window, by chain. */
export function sentByChain(all: readonly { sent: Bucket['sent'] }[]): Sent[] {
  const chains = new Map<number, Sent>();
  for (const sent of all.flatMap((one) => one.sent ?? [])) {
    const before = chains.get(sent.chain_id);
    chains.set(
      sent.chain_id,
      before === undefined
        ? sent
        : {
            ...before,
            transactions: before.transactions + sent.transactions,
            stored: before.stored + sent.stored,
            failed: before.failed + sent.failed,
            not_needed: before.not_needed + sent.not_needed,
            with_receipt: before.with_receipt + sent.with_receipt,
            gas_used: String(BigInt(before.gas_used) + BigInt(sent.gas_used)),
            fee: String(BigInt(before.fee) + BigInt(sent.fee)),
          },
    );
  }
  return [...chains.values()].sort((a, b) => a.chain_id - b.chain_id);
}
