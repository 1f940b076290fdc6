import { type ChainConfig, chainClient, resolveContracts, resolvePriceFeeds, unwrapRpcError } from '@castellan/chain';
import { Receipt } from '@castellan/contracts';
import { z } from 'zod';
import type { ConfiguredBenchmarks } from '../adapters/benchmarks.ts';
import { assetLogOf } from '../domain/asset-log.ts';
import { assetSubject, type Fact, factOf, NATIVE, vaultSubject } from '../domain/facts.ts';
import { foldAll } from '../domain/fold.ts';
import type { Moment } from '../domain/moment.ts';
import { secondsOf } from '../domain/timeline.ts';
import { type Draft, readChainLog } from './chain-log.ts';
import { stateReader } from './chain-state.ts';
import { receiptsOfRow, rowsOf } from './compare.ts';
import { type FactsWithState, withState } from './facts-with-state.ts';
import { askRead, COMPARE } from './reads.ts';
import { Refusal } from './refusal.ts';
import type { Answer } from './shown.ts';
import { VaultBook } from './vault-book.ts';
import { type FromChain, observedBlock } from './verdict.ts';

type FactsBySubject = ReadonlyMap<string, readonly Fact[]>;

function factsOf(chainId: number, drafts: readonly Draft[]): FactsBySubject {
  const bySubject = new Map<string, Fact[]>();
  for (const [at, draft] of drafts.entries()) {
    const recorded = factOf({ ...draft, chain_id: chainId, seq: at + 1 });
    for (const subject of recorded?.subjects ?? []) {
      const facts = bySubject.get(subject) ?? [];
      facts.push((recorded as { fact: Fact }).fact);
      bySubject.set(subject, facts);
    }
  }
  return bySubject;
}

const Receipts = z.object({ receipts: z.record(z.string(), Receipt) });

type Place = Pick<Answer, 'block_number' | 'as_of'>;
type Known = Pick<FactsWithState, 'stateMissing' | 'termsMissing'> & { readonly moment: Moment };

export type ChainHistory = {
  /** What was read. */
  readonly summary: string;
  /** The vault as it was, from the chain alone, with the state of the block where the service observed it. */
  momentAt(place: Place, observedAt: number | undefined): Promise<Known>;
  /** The same read of the same block; `observedAt` for reads whose receipts do not name it. */
  ask(answer: Answer, read: string, query: string, observedAt: number | undefined): Promise<FromChain>;
};

type HistoryOf = (chainId: number, vault: string) => Promise<ChainHistory>;

/**
 * The same comparison, each vault from its own history. What cannot be known of one vault is said of all: the range of the series is
 * made of all of them.
 */
export async function compareFromChain(answer: Answer, query: string, historyOf: HistoryOf): Promise<FromChain> {
  const known = await Promise.all(
    rowsOf(answer).map(async ({ chain_id, vault_address, ...place }, row) => {
      const history = await historyOf(chain_id, vault_address);
      return history.momentAt(place, observedBlock(receiptsOfRow(answer.receipts, row)));
    }),
  );
  const [first] = rowsOf(answer);
  const moments = known.map(({ moment }) => moment).values();
  const histories = { momentOf: () => Promise.resolve(moments.next().value as Moment) };
  const { chain_id: chainId = 0, vault_address: vault = '', block_number: block = 0 } = first ?? {};
  const { receipts } = Receipts.parse(await askRead(histories, { chainId, vault, block, read: COMPARE, query }));
  const missing = (what: 'stateMissing' | 'termsMissing') => known.find((one) => one[what] !== null)?.[what] ?? null;
  return { receipts, stateMissing: missing('stateMissing'), termsMissing: missing('termsMissing') };
}

/**
 * Reads the whole history of a vault from a node: no database, no bus. It is folded to its end, as the service does it, and
 * asked about the block.
 * @throws Refusal when the chain knows no such vault; AppError RPC_UNAVAILABLE.
 */
export async function readChainHistory(
  config: ChainConfig,
  vault: string,
  configured: ConfiguredBenchmarks,
): Promise<ChainHistory> {
  const { chainId, startBlock } = config;
  const client = chainClient(config);
  const answering = await client.getChainId().catch((error: unknown) => {
    throw unwrapRpcError(error);
  });
  if (answering !== chainId) throw new Refusal(`The node of --rpc is of chain ${answering}, not ${chainId}.`);
  const [contracts, feeds, head] = await Promise.all([
    resolveContracts(client, config),
    resolvePriceFeeds(client, config),
    client.getBlockNumber({ cacheTime: 0 }),
  ]);
  const book = new VaultBook(vault, contracts, feeds);
  const drafts = await readChainLog(client, book, startBlock, head);
  const { trio } = book;
  if (!trio) throw new Refusal(`The aggregator of chain ${chainId} deployed no vault ${vault} up to block ${head}.`);
  const facts = factsOf(chainId, drafts);
  const feedsOf = (asset: string) => assetLogOf(asset, facts.get(assetSubject(asset)) ?? []);
  const { prices: asset, benchmark } = feedsOf(trio.asset);
  const native = feedsOf(NATIVE).prices;
  // Each history notes the share prices of a benchmark that is observed.
  const priced = () => ({ asset, native, benchmark: configured(chainId, trio.asset) ?? benchmark });
  const readState = stateReader(client, config, contracts, trio);
  const cached = new Map<number | undefined, Promise<FactsWithState>>();
  const factsAt = (observedAt: number | undefined): Promise<FactsWithState> => {
    const known = cached.get(observedAt);
    if (known) return known;
    const fresh = withState(facts.get(vaultSubject(vault)) ?? [], readState, { created: trio.block, head, observedAt });
    cached.set(observedAt, fresh);
    return fresh;
  };
  const count = (kind: Draft['kind']) => drafts.filter((draft) => draft.kind === kind).length;
  const momentAt = async ({ block_number, as_of }: Place, observedAt: number | undefined): Promise<Known> => {
    const { facts: all, stateMissing, termsMissing } = await factsAt(observedAt);
    const history = foldAll(all, priced());
    if (!history) throw new Refusal(`The logs of vault ${vault} do not begin with its deployment.`);
    return { moment: { history, block: block_number, time: secondsOf(as_of) }, stateMissing, termsMissing };
  };
  return {
    summary: `${count('log')} logs and ${count('observation')} transactions of blocks ${startBlock} to ${head}`,
    momentAt,
    async ask(answer, read, query, observedAt) {
      const { moment, ...missing } = await momentAt(answer, observedBlock(answer.receipts) ?? observedAt);
      const histories = { momentOf: () => Promise.resolve(moment) };
      const question = { chainId, vault, block: answer.block_number, read, query };
      const { receipts } = Receipts.parse(await askRead(histories, question));
      return { receipts, ...missing };
    },
  };
}
