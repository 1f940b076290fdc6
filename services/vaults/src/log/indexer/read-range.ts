import {
  type BlockHeader,
  type ChainLog,
  decodeProtocolLog,
  type LogCheck,
  onOneEndpoint,
  type Pinned,
  type ProtocolLog,
  type RangeState,
  readHeader,
  readLogs,
  unwrapRpcError,
} from '@castellan/chain';
import { AppError } from '@castellan/contracts';
import type { Address, Hash, PublicClient } from 'viem';
import type { Block } from '../domain/block.ts';
import { type EntryDraft, isoTime } from '../domain/log-entry.ts';
import type { AddressBook } from './address-book.ts';
import { readTransactions } from './read-receipts.ts';

/** Above this distance only the end of a range is remembered; near the head every block is, to find a fork exactly. */
export const EVERY_BLOCK_WITHIN = 64n;

/**
 * Everything of one range, in chain order, from one chain. `blocks` end with the last of the range. `witness` is an endpoint
 * that was not the one that was read, null where there is none.
 */
export type RangeRead =
  | {
      kind: 'logs';
      from: bigint;
      end: Block;
      drafts: EntryDraft[];
      blocks: Block[];
      range: RangeState;
      witness: PublicClient | null;
      /** Of the span in which it was read. */
      traceparent?: string;
    }
  | { kind: 'reorg' };

export type RangeRequest = {
  client: PublicClient;
  book: AddressBook;
  from: bigint;
  to: bigint;
  expectedParent: Hash | undefined;
  range: RangeState;
  /** What was done to be sure that no log is missing. */
  onCheck?: (check: LogCheck) => void;
};

const blockOf = ({ number, hash, timestamp }: BlockHeader): Block => ({ number, hash, timestamp });
const moved = () => new AppError('RPC_UNAVAILABLE', 'The chain changed while a range was read. Try again shortly.');

type DecodedLog = { log: ChainLog; decoded: ProtocolLog };

/** The log under its place in the canonical log. Unreadable ones are kept with their topics and data. */
function draftOf({ log, decoded }: DecodedLog, book: AddressBook): EntryDraft {
  return {
    kind: 'log',
    block_number: Number(log.blockNumber),
    block_hash: log.blockHash,
    block_time: isoTime(log.blockTimestamp),
    tx_hash: log.transactionHash,
    log_index: log.logIndex,
    address: log.address,
    contract: decoded.contract,
    vault_address: book.vaultOf(log.address, decoded.args),
    name: decoded.name ?? 'unknown',
    args:
      decoded.name === null
        ? { topics: log.topics, data: log.data }
        : { ...decoded.args, ...(decoded.contract === 'price_feed' ? book.feedOf(log.address) : {}) },
  };
}

const decodedBy = (logs: readonly ChainLog[], book: AddressBook): DecodedLog[] =>
  logs.map((log) => ({ log, decoded: decodeProtocolLog(log, book.roleOf) }));

/** Learns what the logs make known. @returns addresses whose logs of the same range are still missing. */
const learnFrom = (logs: readonly DecodedLog[], book: AddressBook): string[] =>
  logs.flatMap(({ decoded }) => book.learn(decoded));

/** The logs with, after those of each block, who paid for its transactions. */
async function withTransactions(client: PublicClient, logs: readonly EntryDraft[]): Promise<EntryDraft[]> {
  const transactions = await readTransactions(client, logs).catch((error: unknown) => {
    throw unwrapRpcError(error);
  });
  if (transactions === null) throw moved();
  // Stable: what was in order within a block stays so.
  return [...logs, ...transactions].sort((a, b) => a.block_number - b.block_number);
}

async function headersOf(client: PublicClient, from: bigint, end: BlockHeader): Promise<Block[]> {
  if (end.number - from >= EVERY_BLOCK_WITHIN) return [blockOf(end)];
  const numbers = Array.from({ length: Number(end.number - from) }, (_, index) => from + BigInt(index));
  const headers = await Promise.all(numbers.map((number) => readHeader(client, number)));
  const chain = [...headers, end];
  return chain.map((header, index) => {
    const parent = chain[index - 1];
    if (!header || (parent && header.parentHash !== parent.hash)) throw moved();
    return blockOf(header);
  });
}

/**
 * Reads one range in two phases: the contracts known so far, then those that its logs made known (a vault's own logs of the
 * blocks in which it appeared, whose addresses nobody could know before). Repeats until nothing new turns up. All of it is
 * read from one endpoint, because endpoints are not equally far.
 * @throws AppError RPC_UNAVAILABLE (retryable) when no node answers or the chain moves meanwhile.
 */
export const readRange = ({ client, ...request }: RangeRequest): Promise<RangeRead> =>
  onOneEndpoint(client, (pinned) => readPinned({ ...request, ...pinned }));

type PinnedRequest = Omit<RangeRequest, 'client'> & Pinned;

async function readPinned(request: PinnedRequest): Promise<RangeRead> {
  const { client, witness, book, from, to, expectedParent, range, onCheck } = request;
  const read = (addresses: readonly string[], until: bigint, size: RangeState) =>
    readLogs({
      client,
      witness,
      addresses: addresses as Address[],
      fromBlock: from,
      toBlock: until,
      head: to,
      ...(onCheck === undefined ? {} : { onCheck }),
      ...(expectedParent === undefined ? {} : { expectedParent }),
      range: size,
    });
  const first = await read(book.addresses(), to, range);
  if (first.kind === 'reorg') return { kind: 'reorg' };
  // Only known contracts are asked for, so a log can be decoded as soon as it is read.
  const logs = decodedBy(first.logs, book);
  let missing = learnFrom(logs, book);
  while (missing.length > 0) {
    const more = await read(missing, first.toBlock, { size: Number(first.toBlock - from) + 1, max: 1_000_000 });
    if (more.kind === 'reorg') return { kind: 'reorg' };
    // The new contracts have so many logs that the node refuses the range: all is read again, of so few blocks that it does not.
    if (more.toBlock < first.toBlock)
      return readPinned({ ...request, range: { ...more.range, size: Number(more.toBlock - from) + 1 } });
    // Another end would mix two chains.
    if (more.end.hash !== first.end.hash) throw moved();
    const found = decodedBy(more.logs, book);
    for (const each of found) logs.push(each);
    missing = learnFrom(found, book);
  }
  logs.sort(({ log: a }, { log: b }) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
  const drafts = await withTransactions(
    client,
    logs.map((log) => draftOf(log, book)),
  );
  return {
    kind: 'logs',
    from,
    end: blockOf(first.end),
    drafts,
    blocks: await headersOf(client, from, first.end),
    range: first.range,
    witness,
  };
}
