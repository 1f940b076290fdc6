import { createServer } from 'node:http';
import { type Address, type Hash, type Hex, hexToBigInt, numberToHex, padHex } from 'viem';
import { hashAt, type RpcLog, scriptedFetch, trueBloom } from '../../packages/chain/src/scripted-rpc.fixture.ts';
import type { Fault, Node } from './nodes.ts';
import { type RecordedChain, wallet } from './recorded-chain.ts';

/** Answers of one node, over HTTP, in the shapes that nodes of its kind send. */

const zeros = (bytes: number) => `0x${'00'.repeat(bytes)}`;
const gasUsed = 250_000n;
const gasPrice = 500_000_000n;
/** What Base's receipts say of the L1, and what its own transactions pay for it. */
export const l1Fee = 1_234_567_890n;
const l1Fields = {
  l1BaseFeeScalar: '0x8dd',
  l1BlobBaseFee: '0x1',
  l1BlobBaseFeeScalar: '0x101c12',
  l1Fee: numberToHex(l1Fee),
  l1GasPrice: '0x1f4ca2d',
  l1GasUsed: '0x640',
};
/** One that a bridge forced into the chain pays neither gas nor L1, and says so by leaving the fields out. */
const forcedFields = { type: '0x7e', effectiveGasPrice: '0x0', depositNonce: '0x1bed0f', depositReceiptVersion: '0x1' };
/** Wei that the recorded transactions cost. */
export const costOf = (chainId: number): bigint => gasUsed * gasPrice + (chainId === 8453 ? l1Fee : 0n);

class Refused extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

type LogFilter = { address: Address | Address[]; fromBlock?: Hex; toBlock?: Hex; blockHash?: Hash };
type Call = { id: number; method: string; params?: readonly unknown[] };

/** Each block with logs has one transaction of ours. */
const txOf = (block: bigint): Hash => padHex(numberToHex(block), { size: 32 });

class NodeAnswers {
  readonly #chain: RecordedChain;
  readonly #node: Node;
  readonly #ethCall: ReturnType<typeof scriptedFetch>;

  constructor(chain: RecordedChain, node: Node) {
    this.#chain = chain;
    this.#node = node;
    this.#ethCall = scriptedFetch({ node: chain.state });
  }

  #numberOf(tag: unknown): bigint {
    const { head } = this.#chain.state;
    if (tag === 'latest' || tag === 'pending') return head;
    if (tag === 'safe') return head - 40n;
    return tag === 'finalized' ? head - 75n : hexToBigInt(tag as Hex);
  }

  /** Throws what the node says when it has dropped the state of a block. */
  #requireState(tag: unknown): void {
    const { old } = this.#node;
    if (old && this.#numberOf(tag) < old.below(this.#chain)) throw new Refused(old.state);
  }

  #block(number: bigint): unknown {
    const { state, timeAt } = this.#chain;
    if (number > state.head) return null;
    return {
      baseFeePerGas: '0x1dcd6500',
      blobGasUsed: '0x0',
      difficulty: '0x0',
      excessBlobGas: '0x0',
      extraData: '0x',
      gasLimit: '0x3938700',
      gasUsed: '0x1c9c380',
      hash: hashAt(state, number),
      logsBloom: trueBloom(state, number),
      miner: '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97',
      mixHash: zeros(32),
      nonce: zeros(8),
      number: numberToHex(number),
      parentBeaconBlockRoot: zeros(32),
      parentHash: hashAt(state, number - 1n),
      receiptsRoot: zeros(32),
      sha3Uncles: zeros(32),
      size: '0x220',
      stateRoot: zeros(32),
      timestamp: numberToHex(timeAt(number)),
      transactions: [txOf(number)],
      transactionsRoot: zeros(32),
      uncles: [],
      withdrawals: [],
      ...this.#node.block,
    };
  }

  #log(log: RpcLog): object {
    const { state, timeAt } = this.#chain;
    return {
      address: log.address.toLowerCase(),
      topics: log.topics,
      data: log.data,
      blockNumber: numberToHex(log.blockNumber),
      transactionHash: txOf(log.blockNumber),
      transactionIndex: '0x2a',
      blockHash: hashAt(state, log.blockNumber),
      ...(this.#node.hasLogTimes ? { blockTimestamp: numberToHex(timeAt(log.blockNumber)) } : {}),
      logIndex: numberToHex(log.logIndex),
      removed: false,
    };
  }

  #logs({ address, fromBlock, toBlock, blockHash }: LogFilter): unknown {
    const { state } = this.#chain;
    const wanted = new Set([address].flat().map((item) => item.toLowerCase()));
    const number = blockHash ? (BigInt(blockHash) >> 8n) - 1n : null;
    if (number !== null && hashAt(state, number) !== blockHash)
      throw new Refused({ code: -32_000, message: 'unknown block' });
    const from = number ?? this.#numberOf(fromBlock);
    const to = number ?? this.#numberOf(toBlock);
    const found = state.logs.filter(
      ({ address: of, blockNumber }) => blockNumber >= from && blockNumber <= to && wanted.has(of.toLowerCase()),
    );
    const fault = this.#node.refuseLogs({ fromBlock: from, toBlock: to, logs: found.length }, this.#chain);
    if (fault) throw new Refused(fault);
    const logs = found.map((log) => this.#log(log));
    // Of a block that just left the chain, and of one that is not there yet: nodes send them, and they count for nothing.
    const [first] = logs;
    if (first)
      logs.push({ ...first, logIndex: '0x3e7', removed: true }, { ...first, blockHash: null, blockNumber: null });
    return logs;
  }

  #receiptIn(block: bigint): object {
    const { state, chainId, forcedBlock } = this.#chain;
    const ofRollup = chainId === 8453 ? l1Fields : {};
    return {
      blockHash: hashAt(state, block),
      blockNumber: numberToHex(block),
      contractAddress: null,
      cumulativeGasUsed: '0x13d23d8',
      effectiveGasPrice: numberToHex(gasPrice),
      from: wallet.toLowerCase(),
      gasUsed: numberToHex(gasUsed),
      logs: state.logs.filter(({ blockNumber }) => blockNumber === block).map((log) => this.#log(log)),
      logsBloom: trueBloom(state, block),
      status: '0x1',
      to: '0x73d3f46d3a9f98c55c512deca29993d28f93817c',
      transactionHash: txOf(block),
      transactionIndex: '0x2a',
      type: '0x2',
      ...(block === forcedBlock ? forcedFields : ofRollup),
    };
  }

  #receipt(hash: Hash): unknown {
    const block = hexToBigInt(hash);
    const { old } = this.#node;
    if (!old || block >= old.below(this.#chain)) return this.#receiptIn(block);
    if (old.receipt) throw new Refused(old.receipt);
    return null;
  }

  async answer(method: string, params: readonly unknown[]): Promise<unknown> {
    const { state, chainId } = this.#chain;
    const [first, second] = params;
    if (method === 'eth_chainId') return numberToHex(chainId);
    if (method === 'eth_blockNumber') return numberToHex(state.head);
    if (method === 'eth_getBlockByNumber') return this.#block(this.#numberOf(first));
    if (method === 'eth_getLogs') return this.#logs(first as LogFilter);
    if (method === 'eth_getTransactionReceipt') return this.#receipt(first as Hash);
    if (method === 'eth_getBlockReceipts') return [this.#receiptIn((BigInt(first as Hash) >> 8n) - 1n)];
    if (method === 'eth_getBalance' || method === 'eth_call') this.#requireState(second);
    if (method === 'eth_getBalance') return '0x2386f26fc10000';
    if (method === 'eth_getTransactionCount') return '0x7';
    if (method === 'eth_gasPrice') return '0x1dcd6500';
    if (method === 'eth_feeHistory')
      return { oldestBlock: '0x1', baseFeePerGas: ['0x5', '0x7'], gasUsedRatio: [0.5], reward: [['0x2', '0x3']] };
    const call = { jsonrpc: '2.0', id: 1, method, params };
    const reply = await this.#ethCall('http://node', { body: JSON.stringify(call) }).catch(() => null);
    // A contract that the recording does not have reverts, as one without the function does.
    if (reply === null) throw new Refused({ code: 3, message: 'execution reverted', data: '0x' });
    const { result, error } = (await reply.json()) as { result?: unknown; error?: Fault };
    if (error) throw new Refused({ ...error, data: '0x' });
    return result;
  }
}

export type NodeServer = {
  readonly url: string;
  /** What was refused, by the words of the node without their numbers. */
  readonly refused: Map<string, number>;
  stop(): Promise<void>;
};

/** @param key - Of the provider, as it stands in URLs: nothing that is logged may have it. */
export async function startNode(chain: RecordedChain, node: Node, key: string): Promise<NodeServer> {
  const answers = new NodeAnswers(chain, node);
  const refused = new Map<string, number>();
  const refuse = ({ message }: Fault) => {
    const words = message.replaceAll(/0x[0-9a-f]+|\d[\d,]*/g, 'N');
    refused.set(words, (refused.get(words) ?? 0) + 1);
  };
  const one = async ({ id, method, params = [] }: Call): Promise<{ body: object; status: number }> => {
    try {
      return { body: { jsonrpc: '2.0', id, result: await answers.answer(method, params) }, status: 200 };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(error.fault);
      const { status = 200, ...rpcError } = error.fault;
      return { body: { jsonrpc: '2.0', id, error: rpcError }, status };
    }
  };
  const reply = async (asked: Call | Call[]): Promise<{ body: unknown; status: number }> => {
    if (!Array.isArray(asked)) return one(asked);
    if (node.batch && asked.length > node.batch.most) {
      refuse(node.batch.fault);
      return { body: { jsonrpc: '2.0', id: null, error: node.batch.fault }, status: 200 };
    }
    const parts = await Promise.all(asked.map(one));
    return { body: parts.map(({ body }) => body), status: 200 };
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { body, status } = await reply(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v2/${key}`,
    refused,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
