import { numberToHex } from 'viem';
import type { RecordedChain } from './recorded-chain.ts';

/** How a node says that it does not do what it was asked. `status` is that of HTTP. */
export type Fault = { code: number; message: string; data?: unknown; status?: number };

type Filter = { fromBlock: bigint; toBlock: bigint; logs: number };

/** What differs between nodes, and between the providers in front of them, in what they answer. */
export type Node = {
  /** Fields that its blocks have beside those of all. */
  block: Readonly<Record<string, unknown>>;
  hasLogTimes: boolean;
  /** Calls in one HTTP request, and what is said to more. */
  batch: { most: number; fault: Fault } | null;
  /** Refuses logs of a range. */
  refuseLogs(range: Filter, chain: RecordedChain): Fault | null;
  /** Refuses, or has forgotten (null), what is that old. */
  old: { below(chain: RecordedChain): bigint; receipt: Fault | null; state: Fault } | null;
};

const start = ({ state }: RecordedChain) => state.head - 30_000n;
const span = ({ fromBlock, toBlock }: Filter) => toBlock - fromBlock + 1n;
const missingTrieNode = 'missing trie node ef7df5d88cb1614dc3f143879a653cd9 (path ) state 0x4ba is not available';

/** Erigon of a prune mode that keeps the logs of some time: one's own, and so the first to be asked. */
const pruningErigon: Node = {
  block: { totalDifficulty: '0xc70d815d562d3cfa955' },
  hasLogTimes: true,
  batch: {
    most: 100,
    fault: {
      code: -32_000,
      message: 'batch limit 100 exceeded (can increase by --rpc.batch.limit). Requested batch of size: 101',
    },
  },
  refuseLogs: ({ fromBlock }, chain) => {
    const from = start(chain) + 20_000n;
    if (fromBlock >= from) return null;
    const asked = `requested block ${fromBlock}, history is available from block ${from}`;
    return { code: -32_000, message: `old data not available due to pruning: ${asked}` };
  },
  old: {
    below: (chain) => start(chain) + 20_000n,
    receipt: {
      code: -32_000,
      message: 'getReceipt error: ReceiptsGen: PrepareEnv: bn=23601500, old data not available due to pruning',
    },
    state: { code: -32_000, message: 'old data not available due to pruning: requested block 23600000' },
  },
};

/** geth as a full node behind Infura: its index of transactions is cut off, its results are limited. */
const gethBehindInfura: Node = {
  block: {},
  hasLogTimes: false,
  batch: null,
  refuseLogs: (range) => {
    const { fromBlock, logs } = range;
    if (span(range) > 10_000n) return { code: -32_602, message: `range ${span(range)} exceeds limit of 10000` };
    if (logs <= 8 || span(range) <= 500n) return null;
    const from = numberToHex(fromBlock);
    const to = numberToHex(fromBlock + span(range) / 3n);
    const message = `query returned more than 10000 results. Try with this block range [${from}, ${to}].`;
    return { code: -32_005, message, data: { from, to, limit: 10_000 } };
  },
  old: {
    below: (chain) => start(chain) + 25_000n,
    receipt: null,
    state: { code: -32_000, message: missingTrieNode },
  },
};

/** op-geth behind QuickNode, which answers HTTP 413 to a range, with the batches that the public endpoint of Base takes. */
const opGethBehindQuickNode: Node = {
  block: { withdrawalsRoot: `0x${'5e'.repeat(32)}`, requestsHash: `0x${'e3'.repeat(32)}` },
  hasLogTimes: false,
  batch: { most: 10, fault: { code: -32_014, message: 'maximum 10 calls in 1 batch' } },
  refuseLogs: (range) =>
    span(range) > 5_000n ? { code: -32_614, message: 'eth_getLogs is limited to a 5,000 range', status: 413 } : null,
  old: null,
};

/** op-reth with its own limits: blocks, then results, both named. */
const opReth: Node = {
  block: { size: '0x3f2' },
  hasLogTimes: true,
  batch: null,
  refuseLogs: (range) => {
    if (span(range) > 3_000n) return { code: -32_602, message: 'query exceeds max block range 3000' };
    if (range.logs <= 8 || span(range) <= 500n) return null;
    const until = range.fromBlock + span(range) / 3n;
    const message = `query exceeds max results 20000, retry with the range ${range.fromBlock}-${until}`;
    return { code: -32_602, message };
  },
  old: null,
};

/** In the order of `rpc_urls`. */
export const nodesOf = { 1: [pruningErigon, gethBehindInfura], 8453: [opGethBehindQuickNode, opReth] } as const;
