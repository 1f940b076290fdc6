import { AppError } from '@castellan/contracts';
import { type Address, getAddress, type Hash, type Hex, hexToBigInt, hexToNumber, type PublicClient } from 'viem';
import {
  isMoreAtWitness,
  type LogCheck,
  type LogSource,
  missingByBloom,
  newCheck,
  sampledNumbers,
} from './complete-logs.ts';
import { type BlockHeader, type BloomHeader, readHeader, requireBloomHeader, withoutBloom } from './headers.ts';
import { onOneEndpoint } from './one-endpoint.ts';
import { afterSuccess, afterTooLarge, isTimeout, newRange, type RangeState, rangeRefusal } from './range.ts';
import { BlockMissing, keyOf, logsOfBlock, logsOfRange, type MinedLog } from './raw-logs.ts';

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

/** A range of blocks, both ends included, and the contracts whose logs are wanted. */
export type ReadLogsRequest = {
  /** With several endpoints, one of them is used for everything of a range, and the next when it cannot answer. */
  client: PublicClient;
  /**
   * Another endpoint for a second opinion, when `client` is one that the caller has chosen; null for none. Without it, one of
   * the client's other endpoints.
   */
  witness?: PublicClient | null;
  /** Only logs of these contracts: others share our topics. */
  addresses: readonly Address[];
  fromBlock: bigint;
  /** Last block wanted (inclusive); the answer may end earlier. */
  toBlock: bigint;
  /** The head as the caller knows it; `toBlock` without it. Blocks near it are read one by one. */
  head?: bigint;
  /** Hash of block `fromBlock - 1` as already stored; undefined at the very start. */
  expectedParent?: Hash | undefined;
  /** What the previous answer returned. */
  range?: RangeState;
  /** Called with what was done to be sure that no log is missing, for each range that was read. */
  onCheck?: (check: LogCheck) => void;
};

/** `logs`: complete for fromBlock..toBlock, in chain order; `end` is the next `expectedParent`. `reorg`: read again after a rollback. */
export type LogChunk =
  | { kind: 'logs'; fromBlock: bigint; toBlock: bigint; logs: ChainLog[]; end: BlockHeader; range: RangeState }
  | { kind: 'reorg'; blockNumber: bigint };

/** A checked reading: blocks so near the head are each read by their hash, because nodes behind one URL are not equally far. */
const NEAR_HEAD_BLOCKS = 64n;
const STABLE_READ_ATTEMPTS = 4;
/** A node that times out this often in a row is away, whatever the range. */
const MAX_TIMEOUTS = 3;

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
type Part = { from: bigint; to: bigint };
/** Of a part of the range: all of its logs, or the knowledge that some are missing. */
type PartLogs = MinedLog[] | 'incomplete';

const numbersOf = ({ from, to }: Part): bigint[] =>
  Array.from({ length: Math.max(0, Number(to - from) + 1) }, (_, index) => from + BigInt(index));

/** Logs of blocks near the head, each by its hash; by their numbers where the node does not know that. */
async function logsNearHead(source: LogSource, headers: readonly BloomHeader[]): Promise<MinedLog[]> {
  const { client, addresses } = source;
  const answers = await Promise.all(headers.map(({ hash }) => logsOfBlock(client, addresses, hash)));
  if (answers.every((answer) => answer !== null)) return answers.flat();
  const first = headers[0];
  const last = headers.at(-1);
  return first && last ? await logsOfRange(client, addresses, first.number, last.number) : [];
}

/**
 * Logs of blocks far below the head, in one request. Its last block is asked for by its hash beside it, in the same HTTP call:
 * a node that is behind refuses it. Then another endpoint is asked for the same range, or else some of its blocks' bloom
 * filters are held against what came.
 */
async function logsBelow(
  source: LogSource,
  part: Part & { last: Hash; useBlooms: boolean },
  check: LogCheck,
): Promise<PartLogs> {
  const { client, addresses, witness } = source;
  const [logs, atLast] = await Promise.all([
    logsOfRange(client, addresses, part.from, part.to),
    logsOfBlock(client, addresses, part.last),
  ]);
  const known = new Set(logs.filter(({ blockHash }) => blockHash === part.last).map(keyOf));
  const missing = (atLast ?? []).filter((log) => !known.has(keyOf(log)));
  check.recovered += missing.length;
  if (missing.length > 0 || (await isMoreAtWitness(source, part, logs, check))) return 'incomplete';
  if (witness !== null || !part.useBlooms) return logs;
  const headers = await Promise.all(sampledNumbers(part.from, part.to).map((at) => requireBloomHeader(client, at)));
  return (await missingByBloom(source, headers, logs, check)).length > 0 ? 'incomplete' : logs;
}

/** Whether each header is the child of the one before it. */
const isOneChain = (headers: readonly BlockHeader[]): boolean =>
  headers.every(({ parentHash }, index) => index === 0 || headers[index - 1]?.hash === parentHash);

/**
 * Logs of one range from one chain and one endpoint: the end's hash is the same before and after the logs were read, and
 * commits to every block below it. Undefined when the chain moved meanwhile.
 */
async function readStable(
  { client, witness = null, addresses, range }: ReadLogsRequest,
  { from, to, near }: Part & { near: bigint },
  check: LogCheck,
): Promise<Reading | 'incomplete' | undefined> {
  const source: LogSource = { client, witness, addresses };
  const isWatched = addresses.length > 0;
  const tailFrom = !isWatched || near > to ? to : near < from ? from : near;
  const [start, tail] = await Promise.all([
    tailFrom === from ? null : requireBloomHeader(client, from),
    Promise.all(numbersOf({ from: tailFrom, to }).map((number) => requireBloomHeader(client, number))),
  ]);
  const first = start ?? tail[0];
  const end = tail.at(-1);
  if (first === undefined || end === undefined || !isOneChain(tail)) return undefined;
  const useBlooms = range?.blooms !== 'useless';
  const nearHeaders = isWatched && near <= to ? tail : [];
  const bodyEnd = nearHeaders.length > 0 ? tailFrom - 1n : to;
  const last = nearHeaders[0]?.parentHash ?? end.hash;
  const body: PartLogs =
    isWatched && bodyEnd >= from
      ? await logsBelow(source, { from, to: bodyEnd, last, useBlooms: useBlooms && end.logsBloom !== null }, check)
      : [];
  if (body === 'incomplete') return body;
  const newest = await logsNearHead(source, nearHeaders);
  const late = useBlooms ? await missingByBloom(source, nearHeaders, newest, check) : [];
  const logs = [...body, ...newest, ...late];
  const [times, after] = await Promise.all([timesOf(client, logs, [first, ...tail]), readHeader(client, to)]);
  if (times === undefined || after?.hash !== end.hash) return undefined;
  return { logs: toChainLogs(logs, times), first, end: withoutBloom(end) };
}

type Attempt = { range: RangeState; isByHash: boolean };

/** After a range that lacked logs: a shorter one, whose end the node may have, and at last block by block. */
function afterIncomplete({ range }: Attempt, blocks: number): Attempt {
  const smaller = blocks > Number(NEAR_HEAD_BLOCKS) ? afterTooLarge(range, blocks) : null;
  return smaller === null ? { range, isByHash: true } : { range: smaller, isByHash: false };
}

function afterError(error: unknown, { range }: Attempt, blocks: number, from: bigint): Attempt {
  const refusal = rangeRefusal(error);
  if (refusal === null) throw error;
  const smaller = afterTooLarge(range, blocks, refusal);
  if (smaller !== null) return { range: smaller, isByHash: false };
  if (isTimeout(error)) throw error;
  const message = `The logs of block ${from} alone are beyond a limit of the node. Try again shortly, or use another node.`;
  throw new AppError('RPC_UNAVAILABLE', message, { cause: error });
}

/**
 * Reads the logs of some contracts from `fromBlock` on, in a range as large as the node can answer: halved (or as the node
 * suggests) when it refuses or times out, grown when it does not. Call again with `fromBlock = toBlock + 1n`,
 * `expectedParent = end.hash` and `range`.
 *
 * A node that is behind answers with fewer logs and no error. So headers and logs of a range are of one endpoint; blocks near
 * the head are read by their hash; each header's bloom filter is held against what came; ranges further down are asked for
 * once more from another endpoint where there is one.
 * @returns `reorg` when the chain no longer continues the stored block; find where with `findForkPoint`.
 * @throws AppError RPC_UNAVAILABLE (retryable) when no node answers, logs stay missing, or the chain keeps moving under the range.
 */
export async function readLogs(request: ReadLogsRequest): Promise<LogChunk> {
  if (request.toBlock < request.fromBlock)
    throw new RangeError(`toBlock ${request.toBlock} lies before fromBlock ${request.fromBlock}`);
  if (request.witness !== undefined) return readFromOne(request);
  return onOneEndpoint(request.client, (pinned) => readFromOne({ ...request, ...pinned }));
}

async function readFromOne(request: ReadLogsRequest): Promise<LogChunk> {
  const { fromBlock, toBlock, head = toBlock, expectedParent, onCheck } = request;
  let next: Attempt = { range: request.range ?? newRange(), isByHash: false };
  let attempt = 0;
  let timeouts = 0;
  while (attempt < STABLE_READ_ATTEMPTS) {
    const { range, isByHash } = next;
    const last = fromBlock + BigInt(range.size) - 1n;
    const end = last < toBlock ? last : toBlock;
    const blocks = Number(end - fromBlock) + 1;
    const near = isByHash ? fromBlock : head - NEAR_HEAD_BLOCKS + 1n;
    const check = newCheck();
    try {
      const reading = await readStable({ ...request, range }, { from: fromBlock, to: end, near }, check);
      if (request.addresses.length > 0) onCheck?.(check);
      if (reading === 'incomplete') {
        next = afterIncomplete(next, blocks);
        if (next.isByHash) attempt += 1;
        continue;
      }
      attempt += 1;
      if (reading === undefined) continue;
      if (expectedParent !== undefined && reading.first.parentHash !== expectedParent) {
        return { kind: 'reorg', blockNumber: fromBlock - 1n };
      }
      const grown = afterSuccess(range, reading.logs.length);
      const following: RangeState = check.blooms === 'useless' ? { ...grown, blooms: 'useless' } : grown;
      return { kind: 'logs', fromBlock, toBlock: end, logs: reading.logs, end: reading.end, range: following };
    } catch (error) {
      // Gone meanwhile, or this node is behind the one that sent the header.
      if (error instanceof BlockMissing) {
        attempt += 1;
        continue;
      }
      if (isTimeout(error)) timeouts += 1;
      if (timeouts >= MAX_TIMEOUTS) throw error;
      next = afterError(error, next, blocks, fromBlock);
    }
  }
  throw new AppError(
    'RPC_UNAVAILABLE',
    `The chain changed, or the node fell behind, while blocks from ${fromBlock} were read. Try again shortly.`,
  );
}
