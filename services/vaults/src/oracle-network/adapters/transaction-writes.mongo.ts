import type { EventData, TransmissionAttempted, TransmissionConfirmed } from '@castellan/contracts';
import type { TransactionDocument } from '../domain/validator-network.ts';
import type { historyCollections } from '../models/network-history.ts';
import { idOf, placeOf } from './round-place.ts';

type EndedTransaction = EventData<typeof TransmissionConfirmed>;
export type Receipt = { gas_used: string; gas_price: string; fee: string; balance_after: string | null };

/** Every write can be done again. */
export type TransactionWrites = {
  attempted(event: EventData<typeof TransmissionAttempted>): Promise<void>;
  mined(event: EndedTransaction): Promise<void>;
  ended(event: EndedTransaction, state: 'stored' | 'failed' | 'not_needed', receipt: Receipt | null): Promise<void>;
  priced(id: string, receipt: Receipt): Promise<void>;
};

type OfTransaction = Pick<
  EndedTransaction,
  'chain_id' | 'config_digest' | 'epoch' | 'round' | 'node_id' | 'node_index' | 'transmitter' | 'strategies' | 'tx_hash'
>;

/** One transaction that never got a hash is of its node and round. */
const transactionId = (event: OfTransaction): string =>
  event.tx_hash === null
    ? `${event.chain_id}:${event.node_id}:${idOf(placeOf(event))}`
    : `${event.chain_id}:${event.tx_hash}`;

const identityOf = (event: OfTransaction) => ({
  chain_id: event.chain_id,
  ...placeOf(event),
  node_id: event.node_id,
  node_index: event.node_index,
  transmitter: event.transmitter,
  strategies: event.strategies,
  tx_hash: event.tx_hash,
});

const nonceOf = ({ nonce }: { nonce?: number | undefined }) => (nonce === undefined ? {} : { nonce });

type Transactions = ReturnType<typeof historyCollections>['transactions'];

/** What the sender reports of its transactions. */
export function transactionWrites(transactions: Transactions): TransactionWrites {
  const settleOthers = async (_id: string): Promise<void> => {
    const own = await transactions.findOne({ _id });
    if (own) await settleForms(transactions, own);
  };
  return {
    async attempted(event) {
      const at = new Date(event.t);
      const open = { state: 'sent', reason: null, block_number: null, at } as const;
      const _id = transactionId(event);
      const update = {
        $set: { sent_at: at, nonce: event.nonce },
        $setOnInsert: { ...identityOf(event), ...open },
      };
      await transactions.updateOne({ _id }, update, { upsert: true });
      await settleOthers(_id);
    },
    async mined(event) {
      const _id = transactionId(event);
      const at = new Date(event.t);
      const found = { state: 'mined', block_number: event.block_number, reason: event.reason, at } as const;
      const known = { ...identityOf(event), ...nonceOf(event) };
      const sent = { ...known, state: 'sent', reason: null, block_number: null, at } as const;
      await transactions.updateOne({ _id }, { $setOnInsert: sent }, { upsert: true });
      // What is over stays over, in whatever order it is heard.
      const open = { _id, ended_at: { $exists: false } };
      await transactions.updateOne(open, { $set: { ...found, mined_at: at } });
      await settleOthers(_id);
    },
    async ended(event, state, receipt) {
      const at = new Date(event.t);
      const found = { state, block_number: event.block_number, reason: event.reason, at, ended_at: at };
      const _id = transactionId(event);
      const known = { ...identityOf(event), ...nonceOf(event) };
      const update = { $set: { ...known, ...found, ...receipt }, $unset: { replaced_by: '' } } as const;
      await transactions.updateOne({ _id }, update, { upsert: true });
      await settleOthers(_id);
    },
    async priced(_id, receipt) {
      await transactions.updateOne({ _id }, { $set: receipt });
    },
  };
}

const isOver = { ended_at: { $exists: true }, replaced_by: { $exists: false } };

/** The one end without a hash that is of what was sent: any other is of a try that never was. */
const USED_ELSEWHERE = 'nonce_used_elsewhere';

/** What the sender said the end of, for this transaction or another form of its transmission. */
async function endOf(transactions: Transactions, own: TransactionDocument): Promise<TransactionDocument | null> {
  if (own.ended_at && own.replaced_by === undefined) return own;
  const { chain_id, transmitter, epoch, round, nonce, node_id, sent_at, at } = own;
  if (nonce === undefined) return null;
  const lost = { tx_hash: null, reason: USED_ELSEWHERE };
  const ends = [
    { nonce, tx_hash: { $ne: null } },
    { ...lost, nonce },
    // By a node of a former version, which did not say the nonce.
    { ...lost, nonce: { $exists: false }, node_id, ended_at: { $gt: sent_at ?? at } },
  ];
  return transactions.findOne({ chain_id, transmitter, epoch, round, ...isOver, $or: ends });
}

/**
 * A transmission may be sent in several forms, of which the chain takes one: they have a nonce in common. What a block of a
 * reorganisation had goes back to sent once another form is in a block, and when one is over, so are the others. Events come in any
 * order, so each asks what is known of the others.
 */
async function settleForms(transactions: Transactions, own: TransactionDocument): Promise<void> {
  const { chain_id, transmitter, epoch, round, nonce, node_id, tx_hash, reason, at } = own;
  if (tx_hash === null && reason !== USED_ELSEWHERE) return;
  const of = { chain_id, transmitter, epoch, round };
  if (nonce === undefined && tx_hash !== null) return;
  // By a node of a former version, one whose nonce somebody else used ends with all that was sent of it so far.
  const others = nonce === undefined ? { ...of, node_id, sent_at: { $lt: at } } : { ...of, nonce };
  const end = await endOf(transactions, own);
  if (end) {
    const { state, reason } = end.tx_hash === null ? end : ({ state: 'not_needed', reason: 'replaced' } as const);
    const over = { state, reason, block_number: null, at: end.at, ended_at: end.at, replaced_by: end.tx_hash };
    await transactions.updateMany(
      { ...others, _id: { $ne: end._id }, ended_at: { $exists: false } },
      { $set: over, $unset: { mined_at: '' } },
    );
  } else if (own.state === 'mined' && own.mined_at) {
    await transactions.updateMany(
      { ...others, _id: { $ne: own._id }, state: 'mined', mined_at: { $lt: own.mined_at } },
      { $set: { state: 'sent', block_number: null }, $unset: { mined_at: '' } },
    );
  }
}
