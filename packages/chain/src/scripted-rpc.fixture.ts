import {
  type Abi,
  type Address,
  createPublicClient,
  custom,
  decodeFunctionData,
  encodeFunctionResult,
  type Hash,
  type Hex,
  hexToBigInt,
  keccak256,
  multicall3Abi,
  numberToHex,
  type PublicClient,
  padHex,
} from 'viem';
import type { Fetch } from './rpc/exchange.ts';
import { MULTICALL3 } from './rpc/gathered-calls.ts';

/** What a scripted contract function does: answers, or throws what a node would throw. */
export type Script = { abi: Abi; functions: Record<string, (args: readonly unknown[]) => unknown> };

/** A log of the scripted chain; without `blockTimestamp` the node leaves it out. */
export type RpcLog = {
  address: Address;
  topics: Hex[];
  data: Hex;
  blockNumber: bigint;
  logIndex: number;
  blockTimestamp?: bigint;
};

/** A chain in memory; every answer can be changed by the test between requests. */
export type ScriptedChain = {
  head: bigint;
  /** How far the replica is that answers for logs; `head` without it. */
  logsHead?: bigint;
  /** Part of every hash from this block on; change it to fork. */
  forks: { from: bigint; salt: number }[];
  logs: RpcLog[];
  contracts: Record<string, Script>;
  /** Code by lower-case address: none when absent; null for a node that does not return it. */
  codes: Record<string, Hex | null>;
  /** The bloom filter in the header of a block; none when absent. */
  bloomOf?: (number: bigint) => Hex;
  /** Runs before each request; throw to fail it. */
  before: (method: string, params: readonly unknown[]) => void;
  requests: { method: string; params: readonly unknown[] }[];
};

/** An error that the scripted node answers, by its JSON-RPC code. */
export class RpcFault extends Error {
  code: number;
  data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A chain without logs or contracts, its head at block 1 000. */
export const scriptedChain = (overrides: Partial<ScriptedChain> = {}): ScriptedChain => ({
  head: 1_000n,
  forks: [],
  logs: [],
  contracts: {},
  codes: {},
  before: () => undefined,
  requests: [],
  ...overrides,
});

/** The hash of a block; every fork at or below it changes it. */
export function hashAt(chain: ScriptedChain, number: bigint): Hash {
  const salt = chain.forks.filter((fork) => fork.from <= number).reduce((sum, fork) => sum + fork.salt, 0);
  return padHex(`0x${(number + 1n).toString(16)}${salt.toString(16).padStart(2, '0')}`, { size: 32 });
}

/** The time of a block in Unix seconds: two seconds after its parent. */
export const timeAt = (number: bigint): bigint => 1_700_000_000n + number * 2n;

/** As Multicall3 does: one that fails hides nothing of the others. */
function answerTogether(chain: ScriptedChain, data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data });
  if (functionName !== 'aggregate3') throw new Error(`The test does not script ${functionName}`);
  const [calls] = args;
  const result = calls.map(({ target, callData }) => {
    try {
      return { success: true, returnData: answerCall(chain, { to: target, data: callData }) };
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
      return { success: false, returnData: (error.data as Hex | undefined) ?? '0x' };
    }
  });
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
}

function answerCall(chain: ScriptedChain, { to, data }: { to: Address; data: Hex }): Hex {
  if (to === MULTICALL3 && chain.codes[to.toLowerCase()]) return answerTogether(chain, data);
  const script = chain.contracts[to.toLowerCase()];
  if (!script) return '0x';
  const { functionName, args } = decodeFunctionData({ abi: script.abi, data });
  const answer = script.functions[functionName];
  if (!answer) throw new Error(`The test does not script ${functionName} of ${to}`);
  return encodeFunctionResult({ abi: script.abi, functionName, result: answer(args ?? []) as never });
}

function codeOf(chain: ScriptedChain, address: Address): Hex {
  const code = chain.codes[address.toLowerCase()];
  if (code === null) throw new RpcFault(-32_601, 'the method does not exist');
  return code ?? '0x';
}

type LogFilter = { address: Address[]; fromBlock: Hex; toBlock: Hex } | { address: Address[]; blockHash: Hash };

/** As nodes do: a block that is not there is an error by its hash, and nothing by its number. */
function spanOf(chain: ScriptedChain, filter: LogFilter): [bigint, bigint] {
  const head = chain.logsHead ?? chain.head;
  if ('fromBlock' in filter) {
    const from = hexToBigInt(filter.fromBlock);
    const to = hexToBigInt(filter.toBlock);
    return [from, to < head ? to : head];
  }
  const number = (BigInt(filter.blockHash) >> 8n) - 1n;
  if (number > head || hashAt(chain, number) !== filter.blockHash) throw new RpcFault(-32_000, 'unknown block');
  return [number, number];
}

function answer(chain: ScriptedChain, method: string, params: readonly unknown[]): unknown {
  if (method === 'eth_call') return answerCall(chain, params[0] as { to: Address; data: Hex });
  if (method === 'eth_getCode') return codeOf(chain, params[0] as Address);
  if (method === 'eth_getBlockByNumber') {
    const number = hexToBigInt(params[0] as Hex);
    if (number > chain.head) return null;
    return {
      number: params[0],
      hash: hashAt(chain, number),
      parentHash: hashAt(chain, number - 1n),
      timestamp: numberToHex(timeAt(number)),
      ...(chain.bloomOf && { logsBloom: chain.bloomOf(number) }),
    };
  }
  if (method === 'eth_getLogs') {
    const [from, to] = spanOf(chain, params[0] as LogFilter);
    return chain.logs
      .filter((log) => log.blockNumber >= from && log.blockNumber <= to)
      .map((log) => ({
        ...log,
        blockNumber: numberToHex(log.blockNumber),
        blockHash: hashAt(chain, log.blockNumber),
        logIndex: numberToHex(log.logIndex),
        transactionHash: padHex(numberToHex(log.blockNumber), { size: 32 }),
        transactionIndex: '0x0',
        removed: false,
        ...(log.blockTimestamp === undefined
          ? { blockTimestamp: undefined }
          : { blockTimestamp: numberToHex(log.blockTimestamp) }),
      }));
  }
  throw new Error(`The test does not script ${method}`);
}

/** The bloom filter of a block as the Yellow Paper has it, 4.3.1. */
export function trueBloom(chain: ScriptedChain, number: bigint): Hex {
  let bloom = 0n;
  for (const { address, topics } of chain.logs.filter(({ blockNumber }) => blockNumber === number))
    for (const value of [address, ...topics]) {
      const hash = keccak256(value);
      for (const at of [2, 6, 10]) bloom |= 1n << (BigInt(`0x${hash.slice(at, at + 4)}`) & 2047n);
    }
  return numberToHex(bloom, { size: 256 });
}

type Call = { id: number; method: string; params?: readonly unknown[] };

/** `fetch` for {@link chainClient} with a chain behind each URL's host. */
export const scriptedFetch =
  (chains: Readonly<Record<string, ScriptedChain>>): Fetch =>
  async (url, init) => {
    const chain = chains[new URL(url).host];
    if (!chain) throw new Error(`The test has no chain at ${url}`);
    const one = ({ id, method, params = [] }: Call) => {
      chain.requests.push({ method, params });
      try {
        chain.before(method, params);
        return { jsonrpc: '2.0', id, result: answer(chain, method, params) };
      } catch (error) {
        if (!(error instanceof RpcFault)) throw error;
        return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
      }
    };
    const body = JSON.parse(String(init?.body)) as Call | Call[];
    return new Response(JSON.stringify(Array.isArray(body) ? body.map(one) : one(body)));
  };

/** A viem client whose node is `chain`. Nothing is retried. */
export const scriptedClient = (chain: ScriptedChain): PublicClient =>
  createPublicClient({
    cacheTime: 0,
    transport: custom(
      {
        request: async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
          chain.requests.push({ method, params: params ?? [] });
          chain.before(method, params ?? []);
          return answer(chain, method, params ?? []);
        },
      },
      { retryCount: 0 },
    ),
  });
