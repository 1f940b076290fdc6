import { AppError } from '@castellan/contracts';
import {
  type Address,
  getAddress,
  type Hash,
  type Hex,
  hexToBigInt,
  hexToNumber,
  numberToHex,
  type PublicClient,
} from 'viem';
import { type BlockHeader, readHeader, requireHeader } from './headers.ts';
import { afterSuccess, afterTooLarge, isRangeTooLarge, isTimeout, newRange, type RangeState } from './range.ts';

/** One log as it is on chain, tied to its block by hash. */
export type ChainLog = {
  /** EIP-55. */
  address: Address;
  topics: Hex[];
  data: Hex;
  blockNumber: bigint;
  blockHash: Hash;
  /** Chain time in seconds. */
  blockTimestamp: bigint;
  transactionHash: Hash;
  transactionIndex: number;
  logIndex: number;
};

export type ReadLogsRequest = {
  client: PublicClient;
  /** Only logs of these contracts: others share our topics. */
  addresses: readonly Address[];
  fromBlock: bigint;
  /** Last block wanted (inclusive); the answer may end earlier. */
  toBlock: bigint;
  /** Hash of block `fromBlock - 1` as already stored; undefined at the very start. */
  expectedParent?: Hash | undefined;
  /** What the previous answer returned. */
  range?: RangeState;
};

/** `logs`: complete for fromBlock..toBlock, in chain order; `end` is the next `expectedParent`. `reorg`: read again after a rollback. */
export type LogChunk =
  | { kind: 'logs'; fromBlock: bigint; toBlock: bigint; logs: ChainLog[]; end: BlockHeader; range: RangeState }
  | { kind: 'reorg'; blockNumber: bigint };

type RawLog = {
  address: Address;
  topics: Hex[];
  data: Hex;
  blockNumber: Hex | null;
  blockHash: Hash | null;
  transactionHash: Hash | null;
  transactionIndex: Hex | null;
  logIndex: Hex | null;
  blockTimestamp?: Hex | null;
  removed?: boolean;
};
type MinedLog = RawLog & {
  blockNumber: Hex;
  blockHash: Hash;
  transactionHash: Hash;
  transactionIndex: Hex;
  logIndex: Hex;
};

/** More would make requests that some providers refuse; 1 000 vaults are 3 000 addresses. */
const ADDRESSES_PER_REQUEST = 1_000;
const STABLE_READ_ATTEMPTS = 4;
/** A node that times out this often in a row is away, whatever the range. */
const MAX_TIMEOUTS = 3;

async function getLogs(
  client: PublicClient,
  addresses: readonly Address[],
  from: bigint,
  to: bigint,
): Promise<MinedLog[]> {
  const wanted = new Set(addresses.map((address) => address.toLowerCase()));
  const groups: Address[][] = [];
  for (let start = 0; start < addresses.length; start += ADDRESSES_PER_REQUEST) {
    groups.push(addresses.slice(start, start + ADDRESSES_PER_REQUEST));
  }
  const answers = await Promise.all(
    groups.map((address) =>
      client.request({
        method: 'eth_getLogs',
        params: [{ address, fromBlock: numberToHex(from), toBlock: numberToHex(to) }],
      }),
    ),
  );
  return (answers.flat() as RawLog[]).filter(
    (log): log is MinedLog => log.blockHash !== null && log.removed !== true && wanted.has(log.address.toLowerCase()),
  );
}

/** Times of the log blocks; undefined when a log's block is no longer the one at its number. */
async function timesOf(
  client: PublicClient,
  logs: MinedLog[],
  known: BlockHeader[],
): Promise<Map<string, bigint> | undefined> {
  const times = new Map<string, bigint>(known.map((header) => [header.hash, header.timestamp]));
  for (const log of logs) if (log.blockTimestamp) times.set(log.blockHash, hexToBigInt(log.blockTimestamp));
  const missing = new Map(
    logs.filter((log) => !times.has(log.blockHash)).map((log) => [log.blockNumber, log.blockHash]),
  );
  const headers = await Promise.all([...missing.keys()].map((number) => readHeader(client, hexToBigInt(number))));
  for (const header of headers) if (header) times.set(header.hash, header.timestamp);
  return logs.every((log) => times.has(log.blockHash)) ? times : undefined;
}

function toChainLogs(logs: MinedLog[], times: Map<string, bigint>): ChainLog[] {
  const timeOf = (hash: Hash): bigint => {
    const time = times.get(hash);
    if (time === undefined) throw new Error(`Block ${hash} has no known time`);
    return time;
  };
  return logs
    .map((log) => ({
      address: getAddress(log.address),
      topics: log.topics,
      data: log.data,
      blockNumber: hexToBigInt(log.blockNumber),
      blockHash: log.blockHash,
      blockTimestamp: timeOf(log.blockHash),
      transactionHash: log.transactionHash,
      transactionIndex: hexToNumber(log.transactionIndex),
      logIndex: hexToNumber(log.logIndex),
    }))
    .sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
}

type Reading = { logs: ChainLog[]; first: BlockHeader; end: BlockHeader };

/**
 * Logs of one range from one chain: the end's hash is the same before and after the logs were read, and commits to every
 * block below it. Undefined when the chain moved meanwhile.
 */
async function readStable(request: ReadLogsRequest, from: bigint, to: bigint): Promise<Reading | undefined> {
  const { client, addresses } = request;
  const [first, end] = await Promise.all([requireHeader(client, from), requireHeader(client, to)]);
  const logs = await getLogs(client, addresses, from, to);
  const [times, after] = await Promise.all([timesOf(client, logs, [first, end]), readHeader(client, to)]);
  if (times === undefined || after?.hash !== end.hash) return undefined;
  return { logs: toChainLogs(logs, times), first, end };
}

/**
 * Reads the logs of some contracts from `fromBlock` on, in a range as large as the node can answer: halved when it refuses
 * or times out, grown when it does not. Call again with `fromBlock = toBlock + 1n`, `expectedParent = end.hash` and `range`.
 * @returns `reorg` when the chain no longer continues the stored block; find where with `findForkPoint`.
 * @throws AppError RPC_UNAVAILABLE (retryable) when no node answers or the chain keeps moving under the range.
 */
export async function readLogs(request: ReadLogsRequest): Promise<LogChunk> {
  const { fromBlock, toBlock, expectedParent } = request;
  if (toBlock < fromBlock) throw new RangeError(`toBlock ${toBlock} lies before fromBlock ${fromBlock}`);
  let range = request.range ?? newRange();
  let attempt = 0;
  let timeouts = 0;
  while (attempt < STABLE_READ_ATTEMPTS) {
    const last = fromBlock + BigInt(range.size) - 1n;
    const end = last < toBlock ? last : toBlock;
    try {
      const reading = await readStable(request, fromBlock, end);
      attempt += 1;
      if (reading === undefined) continue;
      if (expectedParent !== undefined && reading.first.parentHash !== expectedParent) {
        return { kind: 'reorg', blockNumber: fromBlock - 1n };
      }
      const next = afterSuccess(range, reading.logs.length);
      return { kind: 'logs', fromBlock, toBlock: end, logs: reading.logs, end: reading.end, range: next };
    } catch (error) {
      const smaller = isRangeTooLarge(error) ? afterTooLarge(range, Number(end - fromBlock) + 1) : null;
      if (isTimeout(error)) timeouts += 1;
      if (smaller === null || timeouts >= MAX_TIMEOUTS) throw error;
      range = smaller;
    }
  }
  throw new AppError(
    'RPC_UNAVAILABLE',
    `The chain changed while blocks from ${fromBlock} were read. Try again shortly.`,
  );
}
