import { type ChainConfig, chainClient, resolveContracts, resolvePriceFeeds, unwrapRpcError } from '@castellan/chain';
import { Receipt } from '@castellan/contracts';
import { z } from 'zod';
import { AssetPrices } from '../domain/asset-prices.ts';
import { assetSubject, type Fact, factOf, NATIVE, vaultSubject } from '../domain/facts.ts';
import { foldAll } from '../domain/fold.ts';
import { secondsOf } from '../domain/timeline.ts';
import { type Draft, readChainLog } from './chain-log.ts';
import { type StateReader, stateFact, stateReader } from './chain-state.ts';
import { askRead } from './reads.ts';
import { Refusal } from './refusal.ts';
import type { Answer } from './shown.ts';
import { VaultBook } from './vault-book.ts';
import { type FromChain, observedBlock } from './verdict.ts';

/** Events of the strategy behind which the terms that a vault began with disappear. */
const hidesTerms = new Set(['VaultFeeConfigUpdated', 'FeeRecipientChanged']);

type FactsBySubject = ReadonlyMap<string, readonly Fact[]>;

function factsOf(chainId: number, drafts: readonly Draft[]): FactsBySubject {
  const bySubject = new Map<string, Fact[]>();
  for (const [at, draft] of drafts.entries()) {
    const told = factOf({ ...draft, chain_id: chainId, seq: at + 1 });
    for (const subject of told?.subjects ?? []) {
      const facts = bySubject.get(subject) ?? [];
      facts.push((told as { fact: Fact }).fact);
      bySubject.set(subject, facts);
    }
  }
  return bySubject;
}

/** Puts a fact behind everything of its block and of earlier ones. */
function placed(facts: readonly Fact[], fact: Fact): Fact[] {
  const end = facts.findIndex(({ block }) => block > fact.block);
  return end === -1 ? [...facts, fact] : [...facts.slice(0, end), fact, ...facts.slice(end)];
}

function pricesOf(facts: FactsBySubject, asset: string): AssetPrices {
  const prices = new AssetPrices();
  for (const fact of facts.get(assetSubject(asset)) ?? []) prices.apply(fact);
  return prices;
}

type Told = { facts: readonly Fact[]; stateMissing: string | null; termsMissing: string | null };
type Places = { created: number; head: bigint; observedAt: number | undefined };

/**
 * The facts with the readings of state that no log tells: the one that figures rest on, at the block where the service observed
 * it, and what the vault began with. The last state serves for the latter where the node has no older one: events tell what was
 * before.
 */
async function withState(
  logs: readonly Fact[],
  readState: StateReader,
  { created, head, observedAt }: Places,
): Promise<Told> {
  const seen = observedAt === undefined ? undefined : await readState(BigInt(observedAt));
  const state = seen ?? (await readState(head));
  if (!state) throw new Refusal(`The node gives no state of the vault at block ${head}.`);
  const stateMissing = seen
    ? null
    : observedAt === undefined
      ? 'it rests on observed state, and no receipt names the block of the observation'
      : `it rests on the state of block ${observedAt}, which the node no longer has`;
  const facts = placed(logs, stateFact(state, 0));
  const isHidden = logs.some(
    ({ contract, name, block }) =>
      contract === 'strategy' && hidesTerms.has(name) && block <= Number(state.blockNumber),
  );
  if (!isHidden) return { facts, stateMissing, termsMissing: null };
  const first = await readState(BigInt(created));
  const termsMissing = `the fee before its first change is in the state of block ${created} only, which the node no longer has`;
  if (!first) return { facts, stateMissing, termsMissing };
  // Its price would count as one the service had observed.
  return { facts: placed(facts, stateFact({ ...first, price: null }, 0)), stateMissing, termsMissing: null };
}

const Receipts = z.object({ receipts: z.record(z.string(), Receipt) });

export type ChainHistory = {
  /** What was read. */
  readonly summary: string;
  /** The same read of the same block, from the chain alone; `observedAt` for reads whose receipts do not name it. */
  ask(answer: Answer, read: string, query: string, observedAt: number | undefined): Promise<FromChain>;
};

/**
 * Reads the whole history of a vault from a node: no database, no bus. It is folded to its end, as the service does it, and
 * asked about the block.
 * @throws Refusal when the chain knows no such vault; AppError RPC_UNAVAILABLE.
 */
export async function readChainHistory(config: ChainConfig, vault: string): Promise<ChainHistory> {
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
  const priced = { asset: pricesOf(facts, trio.asset), native: pricesOf(facts, NATIVE) };
  const readState = stateReader(client, config, contracts, trio);
  const told = new Map<number | undefined, Promise<Told>>();
  const tell = (observedAt: number | undefined): Promise<Told> => {
    const known = told.get(observedAt);
    if (known) return known;
    const fresh = withState(facts.get(vaultSubject(vault)) ?? [], readState, { created: trio.block, head, observedAt });
    told.set(observedAt, fresh);
    return fresh;
  };
  const count = (kind: Draft['kind']) => drafts.filter((draft) => draft.kind === kind).length;
  return {
    summary: `${count('log')} logs and ${count('observation')} transactions of blocks ${startBlock} to ${head}`,
    async ask(answer, read, query, observedAt) {
      const { facts: all, stateMissing, termsMissing } = await tell(observedBlock(answer.receipts) ?? observedAt);
      const history = foldAll(all, priced);
      if (!history) throw new Refusal(`The logs of vault ${vault} do not begin with its deployment.`);
      const moment = { history, block: answer.block_number, time: secondsOf(answer.as_of) };
      const histories = { momentOf: () => Promise.resolve(moment) };
      const question = { chainId, vault, block: answer.block_number, read, query };
      const { receipts } = Receipts.parse(await askRead(histories, question));
      return { receipts, stateMissing, termsMissing };
    },
  };
}
