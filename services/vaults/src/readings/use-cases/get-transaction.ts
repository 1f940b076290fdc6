import { decodeCall, decodeProtocolLog, type RoleOfAddress } from '@castellan/chain';
import type { GetTransaction, ParamsOf, ResultOf } from '@castellan/contracts';
import { type Address, getAddress, type Hash } from 'viem';
import type { ChainDirectory, KnownChain } from '../../chains/chain-directory.ts';
import type { NodeReceipt, NodeTransaction, TransactionReader } from '../../chains/transactions.rpc.ts';
import { isoTime } from '../../log/domain/log-entry.ts';
import type { ChainStatusStore } from '../../log/ports.ts';
import type { SnapshotReader } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { SeenTransactions } from '../adapters/seen-transactions.mongo.ts';

export type TransactionPorts = {
  chains: ChainDirectory;
  status: ChainStatusStore;
  snapshots: SnapshotReader;
  transactions: TransactionReader;
  seen: SeenTransactions;
};

type Status = ResultOf<typeof GetTransaction>;

/** Which of our contracts an address is, by the vaults this service knows. */
async function rolesOn(ports: TransactionPorts, chain: KnownChain): Promise<RoleOfAddress> {
  const { governor, aggregator, ppsOracle } = await chain.contracts();
  const roles = new Map<string, ReturnType<RoleOfAddress>>([
    [governor.toLowerCase(), 'governor'],
    [aggregator.toLowerCase(), 'aggregator'],
    [ppsOracle.toLowerCase(), 'oracle'],
  ]);
  for (const { detail } of await ports.snapshots.all([chain.config.chainId])) {
    roles.set(detail.vault_address.toLowerCase(), 'vault');
    roles.set(detail.strategy_address.toLowerCase(), 'strategy');
    roles.set(detail.escrow_address.toLowerCase(), 'escrow');
  }
  return (address) => roles.get(address.toLowerCase());
}

const decodedCall = (transaction: NodeTransaction | null, roleOf: RoleOfAddress): Status['decoded'] => {
  const kind = transaction?.to ? roleOf(transaction.to.toLowerCase()) : undefined;
  return transaction && kind ? decodeCall(kind, transaction.input) : null;
};

const eventsOf = ({ logs }: NodeReceipt, roleOf: RoleOfAddress): Status['events'] =>
  logs.map(({ address, topics, data, logIndex }) => {
    const { name, args } = decodeProtocolLog({ address, topics, data }, roleOf);
    return { address, name, args, log_index: logIndex };
  });

/** Why it reverted in the block of this receipt: after a reorg it may for another reason, in another block or one of the same number. */
async function revertReasonOf(
  { seen, transactions }: TransactionPorts,
  chain: KnownChain,
  hash: string,
  { transaction, receipt }: { transaction: NodeTransaction; receipt: NodeReceipt },
): Promise<string | null> {
  const { chainId } = chain.config;
  const { blockNumber, blockHash } = receipt;
  const { revert_reason, reverted_in = blockHash } = (await seen.get(chainId, hash)) ?? {};
  if (revert_reason !== undefined && reverted_in === blockHash) return revert_reason;
  const reason = await transactions.revertReason(chain, transaction, blockNumber);
  if (reason === null || (await transactions.blockHash(chain, blockNumber)) !== blockHash) return null;
  // Kept, because nodes forget the state it takes to find out.
  await seen.remember(chainId, hash, { revert_reason: reason, reverted_in: blockHash });
  return reason;
}

/** A transaction without a block: waiting, or no longer known to the node. */
async function unminedStatus(
  ports: TransactionPorts,
  chain: KnownChain,
  hash: string,
  transaction: NodeTransaction | null,
): Promise<{ status: Status['status']; from: Address | null }> {
  const { chainId } = chain.config;
  if (transaction) {
    await ports.seen.remember(chainId, hash, { from: transaction.from, nonce: transaction.nonce });
    return { status: 'pending', from: transaction.from };
  }
  const seen = await ports.seen.get(chainId, hash);
  if (seen?.from === undefined || seen.nonce === undefined) return { status: 'unknown', from: null };
  const from = getAddress(seen.from);
  const taken = (await ports.transactions.minedNonce(chain, from)) > seen.nonce;
  return { status: taken ? 'replaced' : 'unknown', from };
}

/**
 * What became of a transaction. That another took its nonce can only be known of a transaction that this service saw while it
 * waited, which it did when anybody asked about it then.
 */
export const getTransaction =
  (ports: TransactionPorts) =>
  async ({ chain_id, tx_hash }: ParamsOf<typeof GetTransaction>): Promise<Status> => {
    const chain = ports.chains.get(chain_id);
    const [{ transaction, receipt }, roleOf] = await Promise.all([
      ports.transactions.read(chain, tx_hash as Hash),
      rolesOn(ports, chain),
    ]);
    const common = {
      chain_id,
      tx_hash,
      from: transaction?.from ?? null,
      to: transaction?.to ?? null,
      decoded: decodedCall(transaction, roleOf),
      revert_reason: null,
    };
    if (!receipt) {
      const { status, from } = await unminedStatus(ports, chain, tx_hash, transaction);
      const nowhere = { block_number: null, block_time: null, confirmations: null, events: [], indexed: false };
      return { ...common, ...nowhere, status, from };
    }
    const [head, { indexed_block }] = await Promise.all([
      ports.transactions.headBlock(chain),
      ports.status.get(chain_id),
    ]);
    const reverted = !receipt.succeeded;
    return {
      ...common,
      status: reverted ? 'reverted' : 'mined',
      block_number: Number(receipt.blockNumber),
      block_time: receipt.blockTime === null ? null : isoTime(receipt.blockTime),
      confirmations: Math.max(0, Number(head - receipt.blockNumber) + 1),
      events: eventsOf(receipt, roleOf),
      revert_reason:
        reverted && transaction ? await revertReasonOf(ports, chain, tx_hash, { transaction, receipt }) : null,
      indexed: typeof indexed_block === 'number' && Number(receipt.blockNumber) <= indexed_block,
    };
  };
