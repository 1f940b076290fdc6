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
  numberToHex,
  type PublicClient,
  padHex,
} from 'viem';

/** What a scripted contract function does: answers, or throws what a node would throw. */
export type Script = { abi: Abi; functions: Record<string, (args: readonly unknown[]) => unknown> };

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
  /** Part of every hash from this block on; change it to fork. */
  forks: { from: bigint; salt: number }[];
  logs: RpcLog[];
  contracts: Record<string, Script>;
  /** Runs before each request; throw to fail it. */
  before: (method: string, params: readonly unknown[]) => void;
  requests: { method: string; params: readonly unknown[] }[];
};

export class RpcFault extends Error {
  code: number;
  data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const scriptedChain = (overrides: Partial<ScriptedChain> = {}): ScriptedChain => ({
  head: 1_000n,
  forks: [],
  logs: [],
  contracts: {},
  before: () => undefined,
  requests: [],
  ...overrides,
});

export function hashAt(chain: ScriptedChain, number: bigint): Hash {
  const salt = chain.forks.filter((fork) => fork.from <= number).reduce((sum, fork) => sum + fork.salt, 0);
  return padHex(`0x${(number + 1n).toString(16)}${salt.toString(16).padStart(2, '0')}`, { size: 32 });
}

export const timeAt = (number: bigint): bigint => 1_700_000_000n + number * 2n;

function answerCall(chain: ScriptedChain, { to, data }: { to: Address; data: Hex }): Hex {
  const script = chain.contracts[to.toLowerCase()];
  if (!script) return '0x';
  const { functionName, args } = decodeFunctionData({ abi: script.abi, data });
  const answer = script.functions[functionName];
  if (!answer) throw new Error(`The test does not script ${functionName} of ${to}`);
  return encodeFunctionResult({ abi: script.abi, functionName, result: answer(args ?? []) as never });
}

function answer(chain: ScriptedChain, method: string, params: readonly unknown[]): unknown {
  if (method === 'eth_call') return answerCall(chain, params[0] as { to: Address; data: Hex });
  if (method === 'eth_getBlockByNumber') {
    const number = hexToBigInt(params[0] as Hex);
    if (number > chain.head) return null;
    return {
      number: params[0],
      hash: hashAt(chain, number),
      parentHash: hashAt(chain, number - 1n),
      timestamp: numberToHex(timeAt(number)),
    };
  }
  if (method === 'eth_getLogs') {
    const filter = params[0] as { address: Address[]; fromBlock: Hex; toBlock: Hex };
    const [from, to] = [hexToBigInt(filter.fromBlock), hexToBigInt(filter.toBlock)];
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
