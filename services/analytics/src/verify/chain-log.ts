import {
  type ChainLog,
  type chainClient,
  decodeProtocolLog,
  newRange,
  readLogs,
  unwrapRpcError,
} from '@castellan/chain';
import type { LogEntry } from '@castellan/contracts';
import { TRANSACTION_OBSERVED } from '../domain/facts.ts';
import { isoOf } from '../domain/timeline.ts';
import { Refusal } from './refusal.ts';
import type { VaultBook } from './vault-book.ts';

export type Client = ReturnType<typeof chainClient>;

/** An entry as the canonical log would have it, before it has a place there. */
export type Draft = Omit<LogEntry, 'seq' | 'chain_id'>;
type Addresses = Parameters<typeof readLogs>[0]['addresses'];

/** Receipts asked for at once; the client batches them into few HTTP calls. */
const AT_ONCE = 200;

const moved = () => new Refusal('The chain changed while it was read. Run the command again.');

/** The whole of one range, however small the pieces in which the node gives it. */
async function logsOf(client: Client, addresses: Addresses, fromBlock: bigint, toBlock: bigint): Promise<ChainLog[]> {
  const logs: ChainLog[] = [];
  let range = newRange();
  let from = fromBlock;
  let expectedParent: ChainLog['blockHash'] | undefined;
  while (from <= toBlock) {
    const chunk = await readLogs({
      client,
      addresses,
      fromBlock: from,
      toBlock,
      range,
      ...(expectedParent === undefined ? {} : { expectedParent }),
    });
    if (chunk.kind === 'reorg') throw moved();
    logs.push(...chunk.logs);
    expectedParent = chunk.end.hash;
    range = chunk.range;
    from = chunk.toBlock + 1n;
  }
  return logs;
}

function draftOf(log: ChainLog, book: VaultBook): Draft {
  const decoded = decodeProtocolLog(log, book.roleOf);
  const { contract, args } = decoded;
  return {
    kind: 'log',
    block_number: Number(log.blockNumber),
    block_hash: log.blockHash,
    block_time: isoOf(Number(log.blockTimestamp)),
    tx_hash: log.transactionHash,
    log_index: log.logIndex,
    address: log.address,
    contract,
    vault_address: book.isAbout(log.address, decoded) ? (book.trio?.vault ?? null) : null,
    name: decoded.name ?? 'unknown',
    args: contract === 'price_feed' ? { ...args, ...book.feedOf(log.address) } : args,
  };
}

/** Who paid for the transactions that touched the vault. */
async function transactionsOf(client: Client, drafts: readonly Draft[]): Promise<Draft[]> {
  const touched = new Map(
    drafts.flatMap((draft) => (draft.vault_address === null || draft.tx_hash === null ? [] : [[draft.tx_hash, draft]])),
  );
  const list = [...touched.entries()];
  const found: Draft[] = [];
  for (let start = 0; start < list.length; start += AT_ONCE)
    found.push(
      ...(await Promise.all(
        list
          .slice(start, start + AT_ONCE)
          .map(([hash, draft]) => transactionOf(client, hash as ChainLog['blockHash'], draft)),
      )),
    );
  return found;
}

async function transactionOf(client: Client, hash: ChainLog['blockHash'], of: Draft): Promise<Draft> {
  const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
    throw unwrapRpcError(error);
  });
  if (receipt.blockHash !== of.block_hash) throw moved();
  const { l1Fee } = receipt as { l1Fee?: bigint | null };
  return {
    ...of,
    kind: 'observation',
    log_index: null,
    address: null,
    contract: null,
    vault_address: null,
    name: TRANSACTION_OBSERVED,
    args: {
      from: receipt.from,
      gas_used: `${receipt.gasUsed}`,
      effective_gas_price: `${receipt.effectiveGasPrice}`,
      l1_fee: `${l1Fee ?? 0n}`,
      vault_addresses: [of.vault_address],
    },
  };
}

/**
 * What the canonical log would hold of one vault and of prices for some blocks, read from a node alone: logs in chain order and,
 * after those of each block, its transactions. Contracts that logs make known are read from their block on.
 */
export async function readChainLog(client: Client, book: VaultBook, from: bigint, to: bigint): Promise<Draft[]> {
  const logs: ChainLog[] = [];
  let missing = book.addresses();
  while (missing.length > 0) {
    const more = await logsOf(client, missing as unknown as Addresses, from, to);
    missing = more.flatMap((log) => book.learn(decodeProtocolLog(log, book.roleOf), Number(log.blockNumber)));
    logs.push(...more);
  }
  logs.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
  const drafts = logs
    .map((log) => draftOf(log, book))
    .filter(({ vault_address, contract }) => vault_address !== null || contract === 'price_feed');
  // Stable: what was in order within a block stays so.
  return [...drafts, ...(await transactionsOf(client, drafts))].sort((a, b) => a.block_number - b.block_number);
}
