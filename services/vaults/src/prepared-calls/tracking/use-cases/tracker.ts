import { isStatePruned } from '@castellan/chain';
import { hasErrorCode } from '@castellan/contracts';
import { inSpan, type Logger, SpanKind } from '@castellan/service-kit';
import { type Address, encodeEventTopics, type Hash, type Hex, isAddressEqual } from 'viem';
import type { ChainDirectory, KnownChain } from '../../../chains/chain-directory.ts';
import type { NodeReceipt, NodeTransaction, TransactionReader } from '../../../chains/transactions.rpc.ts';
import type { ChainStatusStore } from '../../../log/ports.ts';
import type { ChangeRequest, ChangeState, ChangeTarget, KeptStep, PostCondition } from '../../changes/domain/change.ts';
import { carries } from '../../signers/carries.ts';
import { safeAbi } from '../../signers/safe.ts';
import type { PreparedStore } from '../adapters/prepared-store.mongo.ts';
import { auditOf } from '../audit.ts';
import { isOwn, type PreparedDocument } from '../domain/prepared-call.ts';
import { type Observation, type Transition, transition } from '../domain/transitions.ts';

/** Reads what checks and post-conditions of a change need. */
export type ChangeStateReader = {
  /** At a block, or the latest. @throws AppError RPC_UNAVAILABLE. */
  read(
    chain: KnownChain,
    target: ChangeTarget,
    asked: ChangeRequest,
    options?: { blockNumber?: bigint },
  ): Promise<ChangeState>;
};

/** What the chain must say after a step, from what is kept of it. */
export type PostConditionOf = (kept: KeptStep) => PostCondition;

export type TrackerPorts = {
  chains: ChainDirectory;
  status: Pick<ChainStatusStore, 'get'>;
  prepared: PreparedStore;
  transactions: TransactionReader;
  states: ChangeStateReader;
  postConditionOf: PostConditionOf;
  /** `traceparent` of the reading of a block, where that is recorded and has entries. */
  traceOfBlock: (chainId: number, block: number) => Promise<string | undefined>;
  now: () => number;
  logger: Logger;
};

/** Nodes keep the state of some recent blocks only. */
const DEEPEST_NONCE = 64;
/** More states than a call can go through at once. */
const MAX_STEPS = 6;

const [executionFailure] = encodeEventTopics({ abi: safeAbi, eventName: 'ExecutionFailure' });

export const callOf = ({ call, request }: Pick<PreparedDocument, 'call' | 'request'>) => ({
  from: request.caller,
  to: call.to as Address,
  data: call.data as Hex,
});

/** A Safe with a gas limit of its own reports a failed call instead of reverting. */
const failedInSafe = ({ call }: PreparedDocument, { logs }: NodeReceipt): boolean =>
  call.signer.kind === 'safe' &&
  logs.some(
    ({ address, topics }) =>
      topics[0] === executionFailure && isAddressEqual(address, call.signer.wallet_address as Address),
  );

async function receiptOf(
  ports: TrackerPorts,
  chain: KnownChain,
  document: PreparedDocument,
  { transaction, receipt }: { transaction: NodeTransaction | null; receipt: NodeReceipt },
): Promise<Observation['receipt']> {
  const { succeeded, blockNumber, blockHash } = receipt;
  const inSafe = failedInSafe(document, receipt);
  const isAsked = !succeeded && transaction !== null && document.status === 'broadcast';
  const reason = isAsked ? await ports.transactions.revertReason(chain, transaction, blockNumber) : null;
  return {
    succeeded: succeeded && !inSafe,
    blockNumber,
    blockHash,
    revertReason: inSafe ? 'ExecutionFailure' : reason,
  };
}

/**
 * Whether the transaction was mined after the call was prepared. After a reorg numbers say nothing: the block the call was
 * prepared at may be gone, and a transaction that was sent afterwards be mined at a lower one; then the chain's time decides.
 */
async function isMinedAfter(
  { transactions, chains }: Pick<TrackerPorts, 'transactions' | 'chains'>,
  { chain_id, block_number, block_hash, block_time }: PreparedDocument,
  { blockNumber, blockTime }: NodeReceipt,
): Promise<boolean> {
  if (blockNumber > BigInt(block_number)) return true;
  if (block_hash === undefined || block_time === undefined) return false;
  if ((await transactions.blockHash(chains.get(chain_id), BigInt(block_number))) === block_hash) return false;
  // Without a time its own block has just been undone, too: it is read again.
  return blockTime === null || blockTime >= BigInt(block_time);
}

/**
 * Whether a transaction makes this call, after it was prepared: one that was mined earlier made another like it.
 */
export async function makes(
  ports: Pick<TrackerPorts, 'transactions' | 'chains'>,
  document: PreparedDocument,
  { transaction, receipt }: { transaction: NodeTransaction; receipt: NodeReceipt | null },
): Promise<boolean> {
  if (!carries(callOf(document), document.call.signer, transaction)) return false;
  return receipt === null || isMinedAfter(ports, document, receipt);
}

/**
 * What the chain says of the post-condition at the block of the call, once the log is known that far. Nodes without an archive have
 * no state of a block that deep: then what was seen of it before stands; null where nothing was. Null as well where a reorg replaced
 * the block since its hash was read, and where the log is still on a branch that was replaced: the state of its number, or what the
 * log knows up to there, is then that of a chain without the transaction.
 */
export async function postOf(
  ports: TrackerPorts,
  chain: KnownChain,
  document: PreparedDocument,
): Promise<Observation['post']> {
  const { tx, status, request, target, post } = document;
  const block = tx?.block_number;
  if (typeof block !== 'number') return null;
  if (status !== 'confirmed' && !(status === 'mined' && post.ok === null)) return null;
  const { indexed_block, indexed_hash } = await ports.status.get(chain.config.chainId);
  if (typeof indexed_block !== 'number' || !indexed_hash || indexed_block < block) return null;
  const stateAt = (blockNumber: bigint) => ports.states.read(chain, target, request, { blockNumber });
  const read = () =>
    Promise.all([stateAt(BigInt(block)), isOwn(document) ? stateAt(BigInt(block) - 1n) : undefined]).catch(
      (error: unknown) => {
        if (isStatePruned(error)) return null;
        throw error;
      },
    );
  const states = await read();
  if (!states) return post.ok === null ? null : { ...post, ok: post.ok };
  const hashAt = (number: number) => ports.transactions.blockHash(chain, BigInt(number));
  const [ofCall, ofLog] = await Promise.all([hashAt(block), hashAt(indexed_block)]);
  if (ofCall !== tx?.block_hash || ofLog !== indexed_hash) return null;
  const [state, before] = states;
  const { decoded, changes } = document.call;
  return ports.postConditionOf({ request, function: decoded.function, changes }).holds(state, before);
}

async function observe(ports: TrackerPorts, document: PreparedDocument): Promise<Observation> {
  const { tx, status } = document;
  const nothing = { transaction: null, receipt: null, nonceTaken: false, head: 0n, post: null };
  if (!tx || status === 'prepared') return nothing;
  const chain = ports.chains.get(document.chain_id);
  const head = await ports.transactions.headBlock(chain);
  const isWaiting = status === 'broadcast' && tx.nonce !== null && tx.from !== null;
  const deep = head - BigInt(Math.min(chain.config.confirmations, DEEPEST_NONCE));
  // Before its receipt is asked for: else it could be mined in between, and be taken for its own replacement.
  const nonceTaken =
    isWaiting && deep >= 0n
      ? (await ports.transactions.minedNonce(chain, tx.from as Address, deep)) > Number(tx.nonce)
      : false;
  const found = await ports.transactions.read(chain, tx.hash as Hash);
  const { transaction, receipt } = found;
  return {
    transaction: transaction && {
      from: transaction.from,
      nonce: transaction.nonce,
      carries: await makes(ports, document, { transaction, receipt }),
    },
    receipt: receipt && (await receiptOf(ports, chain, document, { transaction, receipt })),
    nonceTaken,
    head,
    post: receipt && (await postOf(ports, chain, document)),
  };
}

/** Writes one step, unless another was faster. */
async function take(
  ports: TrackerPorts,
  document: PreparedDocument,
  { state, changes }: Transition,
): Promise<PreparedDocument | null> {
  if (state === undefined) return ports.prepared.move(document, changes);
  const at = new Date(ports.now());
  const tx = changes.tx ?? document.tx;
  const txHash = tx?.hash ?? null;
  const more = {
    ...(changes.revert_reason ? { revert_reason: changes.revert_reason } : {}),
    ...(changes.post?.ok === false ? { actual: changes.post.actual } : {}),
  };
  return ports.prepared.move(document, {
    ...changes,
    status: state,
    entry: { state, t: at.toISOString(), tx_hash: txHash, block_number: tx?.block_number ?? null },
    row: auditOf(document, { state, at, txHash, actor: null, more }),
  });
}

/** The same as a part of the trace of the block that shows it. */
async function takeInTrace(
  ports: TrackerPorts,
  document: PreparedDocument,
  next: Transition,
): Promise<PreparedDocument | null> {
  const block = (next.changes.tx ?? document.tx)?.block_number;
  const isShown = next.state !== undefined && typeof block === 'number';
  const trace = isShown ? await ports.traceOfBlock(document.chain_id, block) : undefined;
  if (trace === undefined) return take(ports, document, next);
  const attributes = { 'castellan.chain_id': document.chain_id, 'castellan.call_state': String(next.state) };
  const options = { kind: SpanKind.CONSUMER, causes: [trace], attributes };
  return inSpan('follow prepared call', options, () => take(ports, document, next));
}

/**
 * Brings one call up to what the chain shows, each step with its audit row.
 * @returns it as it is then.
 */
export async function advance(ports: TrackerPorts, document: PreparedDocument): Promise<PreparedDocument> {
  const { confirmations } = ports.chains.get(document.chain_id).config;
  let current = document;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const seen = await observe(ports, current);
    const next = transition(current, seen, { now: new Date(ports.now()), confirmations });
    if (!next) break;
    const moved = await takeInTrace(ports, current, next);
    if (!moved) return (await ports.prepared.get(document._id)) ?? current;
    current = moved;
  }
  return current;
}

type Documents = AsyncIterable<PreparedDocument> | Iterable<PreparedDocument>;

/** @returns how many there were to follow. */
async function follow(ports: TrackerPorts, documents: Documents): Promise<number> {
  let followed = 0;
  for await (const document of documents) {
    followed += 1;
    try {
      await advance(ports, document);
    } catch (error) {
      // The node is away for all of them.
      if (hasErrorCode(error, 'RPC_UNAVAILABLE')) throw error;
      ports.logger.error('a prepared call could not be followed', { id: document._id, error: error as Error });
    }
  }
  return followed;
}

/** One pass over the calls of a chain's managers. @returns how many there were to follow. */
export const trackCalls = (ports: TrackerPorts, chainId: number): Promise<number> =>
  follow(ports, ports.prepared.due(chainId, new Date(ports.now())));

/** Calls of depositors in one pass: anybody may prepare some, so that there may be more than a node can be asked about at once. */
const MOST_OF_DEPOSITORS = 200;

/**
 * The passes over the calls that wallets prepared for their own positions on one chain, each over those that were looked at longest
 * ago. @returns how many it followed.
 */
export function depositorTracker(ports: TrackerPorts, chainId: number, limit = MOST_OF_DEPOSITORS) {
  let after = '';
  return async (): Promise<number> => {
    const now = new Date(ports.now());
    const next = await ports.prepared.dueOfDepositors(chainId, now, { after, limit });
    const first = next.length < limit && after !== '' ? { after: '', limit: limit - next.length } : undefined;
    const again = first ? await ports.prepared.dueOfDepositors(chainId, now, first) : [];
    const found = [...next, ...again.filter(({ _id }) => _id <= after)];
    // Before they are followed: one that fails does not hold up the others.
    after = found.at(-1)?._id ?? '';
    return follow(ports, found);
  };
}
