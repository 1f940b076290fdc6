import {
  AppError,
  type BroadcastPrepared,
  type Caller,
  hasErrorCode,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import type { Hash } from 'viem';
import type { NodeReceipt, NodeTransaction } from '../../../chains/transactions.rpc.ts';
import { schedules } from '../../signers/carries.ts';
import { type AccessPorts, requirePrepared, resourceOf } from '../access.ts';
import { auditOf } from '../audit.ts';
import { isOwn, type PreparedDocument } from '../domain/prepared-call.ts';
import { advance, callOf, makes, type TrackerPorts } from './tracker.ts';

export type BroadcastPorts = AccessPorts & TrackerPorts & { preparedSeconds: number };

type Known = { transaction: NodeTransaction | null; receipt: NodeReceipt | null };
type Reported = { hash: string; wallet: string; known: Known };

/**
 * What a node that is away would have answered is asked later: the transaction is out already and must not be lost.
 * @returns undefined while the node is away.
 */
async function unlessAway<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (hasErrorCode(error, 'RPC_UNAVAILABLE')) return undefined;
    throw error;
  }
}

const mismatch = (message: string) => new AppError('TRANSACTION_MISMATCH', message);

async function checkMakes(
  ports: BroadcastPorts,
  document: PreparedDocument,
  { known: { transaction, receipt } }: Reported,
): Promise<void> {
  if (transaction && !(await makes(ports, document, { transaction, receipt })))
    throw mismatch('The transaction does not make exactly this call from this signer. Check its hash.');
}

/** What the owners of a Safe sign is the hash of a proposal. Wallets answer with it where a transaction's is expected. */
function checkIsTransaction({ call: { signer } }: PreparedDocument, hash: string): void {
  if (signer.package?.kind === 'safe' && signer.package.safe_tx_hash === hash)
    throw mismatch('This is the hash that the owners of the Safe sign. Report the transaction that executes it.');
}

/** Whether the transaction had made this call by then, and a reorg undid it. */
function wasUndone({ history }: PreparedDocument, hash: string, by: Date): boolean {
  const states = history.filter(({ tx_hash }) => tx_hash === hash);
  const mined = states.findIndex(({ state, t }) => state === 'mined' && Date.parse(t) <= by.getTime());
  return mined >= 0 && states.slice(mined).some(({ state }) => state === 'broadcast');
}

/**
 * Calls that give the transaction up for this one: it was prepared once a reorg had undone them, and a wallet that signs the
 * same again, with the same nonce and fee, makes the same transaction.
 * @throws AppError TRANSACTION_MISMATCH when one of them keeps it: each call takes a transaction of its own.
 */
async function predecessors(ports: BroadcastPorts, document: PreparedDocument, hash: string) {
  const undone: PreparedDocument[] = [];
  if (document.call.signer.kind !== 'eoa') return undone;
  for (const id of await ports.prepared.carriedBy(document.chain_id, hash)) {
    const other = id === document._id ? null : await ports.prepared.get(id);
    if (!other || other.status === 'replaced') continue;
    const now = (await unlessAway(advance(ports, other))) ?? other;
    if (!wasUndone(now, hash, document.prepared_at))
      throw mismatch('This transaction makes another prepared call. Each takes one of its own.');
    undone.push(now);
  }
  return undone;
}

/** Ends the calls whose transaction another carries from now on. @throws AppError ALREADY_BROADCAST when one moved meanwhile. */
async function giveUp(ports: BroadcastPorts, documents: readonly PreparedDocument[], txHash: string): Promise<void> {
  const at = new Date(ports.now());
  const state = 'replaced' as const;
  for (const document of documents) {
    const moved = await ports.prepared.move(document, {
      ...{ status: state, settled: true },
      entry: { state, t: at.toISOString(), tx_hash: txHash, block_number: null },
      row: auditOf(document, { state, at, txHash, actor: null }),
    });
    if (!moved) throw alreadyBroadcast();
  }
}

/** Whether the transaction reported before is out of the way: the node has forgotten it, and this one is in its place. */
async function takesPlace(ports: BroadcastPorts, document: PreparedDocument, { known }: Reported): Promise<boolean> {
  const { tx, chain_id } = document;
  if (!tx || !known.transaction) return false;
  const isSuccessor = tx.nonce === null || (known.transaction.nonce === tx.nonce && known.transaction.from === tx.from);
  if (!isSuccessor) return false;
  const before = await ports.transactions.read(ports.chains.get(chain_id), tx.hash as Hash);
  return before.transaction === null && before.receipt === null;
}

/** The states a call goes through to be carried by this transaction. */
async function carry(
  ports: BroadcastPorts,
  document: PreparedDocument,
  reported: Reported,
): Promise<PreparedDocument | null> {
  const { hash, wallet, known } = reported;
  const at = new Date(ports.now());
  const states = document.status === 'broadcast' ? (['replaced', 'broadcast'] as const) : (['broadcast'] as const);
  const { from = null, nonce = null } = known.transaction ?? {};
  const tx = { hash, reported_by: wallet, reported_at: at, from, nonce, block_number: null, block_hash: null };
  let current: PreparedDocument | null = document;
  for (const state of states) {
    if (!current) return null;
    const next = state === 'broadcast' ? tx : current.tx;
    const txHash = next?.hash ?? null;
    current = await ports.prepared.move(current, {
      status: state,
      settled: state === 'replaced',
      ...(state === 'broadcast' ? { tx, revert_reason: null } : {}),
      entry: { state, t: at.toISOString(), tx_hash: txHash, block_number: null },
      row: auditOf(document, { state, at, txHash, actor: state === 'broadcast' ? wallet : null }),
    });
  }
  return current;
}

/** A timelock's schedule announces the call: it stays prepared, and waits for its execution once the delay is over. */
async function schedule(
  ports: BroadcastPorts,
  document: PreparedDocument,
  { hash }: Reported,
): Promise<PreparedDocument> {
  const item = document.call.signer.package;
  if (item?.kind !== 'timelock' || document.history.some(({ tx_hash }) => tx_hash === hash)) return document;
  const at = new Date(ports.now());
  const moved = await ports.prepared.move(document, {
    expires_at: new Date(at.getTime() + (item.min_delay_seconds + ports.preparedSeconds) * 1000),
    entry: { state: 'prepared', t: at.toISOString(), tx_hash: hash, block_number: null },
  });
  return moved ?? document;
}

/** Whether a call of a depositor gets no other transaction that only its reporter knows: else nothing would bound how many are followed. */
const isOver = ({ now }: BroadcastPorts, document: PreparedDocument, { transaction }: Known): boolean =>
  isOwn(document) && document.status === 'replaced' && now() >= document.expires_at.getTime() && transaction === null;

/**
 * Whether the chain already holds a transaction that makes the call. It counts however long ago the call was prepared: the owners of a
 * Safe may take longer to sign than a call may wait to be sent.
 */
const isMade = async (ports: BroadcastPorts, document: PreparedDocument, { transaction, receipt }: Known) =>
  transaction !== null && receipt?.succeeded === true && (await makes(ports, document, { transaction, receipt }));

const alreadyBroadcast = () =>
  new AppError('ALREADY_BROADCAST', 'Another transaction already carries this call. Open it to see its outcome.');

/**
 * Records which transaction carries a prepared call. A transaction that the node knows is compared with the call at once; one that
 * it does not know yet is taken as reported and compared as soon as it does, where one that makes another call ends as `replaced`.
 * An expired call takes only what has made it.
 * @throws AppError PREPARED_NOT_FOUND, ROLE_REQUIRED, PREPARED_EXPIRED, ALREADY_BROADCAST, TRANSACTION_MISMATCH; of an
 * expired call RPC_UNAVAILABLE.
 */
export const broadcastPrepared =
  (ports: BroadcastPorts) =>
  async (
    { id, tx_hash: hash }: ParamsOf<typeof BroadcastPrepared>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof BroadcastPrepared>> => {
    const found = await requirePrepared(ports, id, caller);
    const isReported = ({ tx, status }: PreparedDocument) => tx?.hash === hash && status !== 'replaced';
    if (isReported(found.document)) return resourceOf(found.document);
    checkIsTransaction(found.document, hash);
    const document = (await unlessAway(advance(ports, found.document))) ?? found.document;
    const chain = ports.chains.get(document.chain_id);
    const { status, call } = document;
    const isExpired = status === 'expired';
    const asked = ports.transactions.read(chain, hash as Hash);
    // Without the node nobody can say whether an expired call was made, and so whether it is to be prepared again.
    const read = isExpired ? await asked : await unlessAway(asked);
    const known: Known = read ?? { transaction: null, receipt: null };
    const reported = { hash, wallet: found.wallet, known };
    if ((isExpired && !(await isMade(ports, document, known))) || isOver(ports, document, known))
      throw new AppError('PREPARED_EXPIRED', 'This call was prepared too long ago. Prepare it again.');
    if (known.transaction && status === 'prepared' && schedules(callOf(document), call.signer, known.transaction))
      return resourceOf(await schedule(ports, document, reported));
    await checkMakes(ports, document, reported);
    const undone = await predecessors(ports, document, hash);
    const isFree = status === 'prepared' || status === 'replaced' || isExpired;
    if (!isFree && !(status === 'broadcast' && (await unlessAway(takesPlace(ports, document, reported)))))
      throw alreadyBroadcast();
    await giveUp(ports, undone, hash);
    const carried = await carry(ports, document, reported);
    if (!carried) {
      const now = await ports.prepared.get(id);
      if (now && isReported(now)) return resourceOf(now);
      throw alreadyBroadcast();
    }
    // A node that is away is not waited for twice.
    return resourceOf((read && (await unlessAway(advance(ports, carried)))) ?? carried);
  };
