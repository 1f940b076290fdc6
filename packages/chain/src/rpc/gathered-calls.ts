import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  HttpRequestError,
  multicall3Abi,
  RpcRequestError,
  size,
  TimeoutError,
} from 'viem';
import { causesOf, isRpcUnavailable } from './unavailable.ts';

/** Where `Multicall3` is on nearly every chain: it was sent there with a key that was used for nothing else. */
export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';

/** One JSON-RPC request. */
export type RpcBody = { method: string; params?: unknown };

/** Limits of what is asked in one `eth_call`, and how a single request is made. */
export type GatheringOptions = {
  request: (body: RpcBody) => Promise<unknown>;
  /** For errors: never a URL that may carry a key. */
  label: string;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  /** Of the calls inside one; default 96 000. Halved when a node refuses so much. */
  mostBytes?: number;
  /** Calls in one; default 400, so that a node's limit of gas for an `eth_call` holds them. */
  mostCalls?: number;
};

type Waiting = { resolve: (result: Hex) => void; reject: (error: unknown) => void };
type Gathered = { to: Address; data: Hex; block: unknown; waiting: Waiting[] };
type Part = { success: boolean; returnData: Hex };

/** A chain without the contract is asked for it again so much later. */
const ASK_FOR_CODE_AGAIN_MS = 60_000;
/** Of each call inside one: its address, flag, offsets and length. */
const BYTES_AROUND = 192;
/** A node that refuses less than this does so for another reason. */
const LEAST_BYTES = 4_000;
const MOST_KNOWN_EMPTY = 10_000;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The target and data of a plain read; undefined for what names a sender, a value, gas or overrides, which others must not share. */
function plainRead({ method, params }: RpcBody): { to: Address; data: Hex; block: unknown } | undefined {
  if (method !== 'eth_call' || !Array.isArray(params) || params.length !== 2 || !isObject(params[0])) return undefined;
  const { to, data, ...others } = params[0];
  if (typeof to !== 'string' || typeof data !== 'string') return undefined;
  if (Object.values(others).some((value) => value !== undefined)) return undefined;
  return { to: to as Address, data: data as Hex, block: params[1] };
}

const bytesOf = ({ data }: Gathered): number => size(data) + BYTES_AROUND;
const keyOf = ({ to, data }: Gathered): string => `${to.toLowerCase()}:${data}`;
const paramsOf = ({ to, data, block }: Gathered): unknown => [{ to, data }, block];

/**
 * Plain reads of one tick and one block travel in one `eth_call` of `Multicall3`; the same read is made once for all who ask.
 * On a chain without it, or at a block before it, each is a request of its own (and these share an HTTP call). What fails inside
 * fails alone. Only a failure that says why is believed: one without data may be the fault of the others, which used up the gas,
 * and is asked for again, at last alone.
 */
export class GatheredCalls {
  readonly #options: GatheringOptions;
  readonly #mostCalls: number;
  #mostBytes: number;
  #gathered = new Map<string, Gathered>();
  #isThere: Promise<boolean> | undefined;
  #askAgainAt = Number.POSITIVE_INFINITY;
  /** Reads that, asked for alone, reverted without data: a source that lacks the function does so at every block. */
  readonly #refusedEmpty = new Set<string>();

  constructor(options: GatheringOptions) {
    this.#options = options;
    this.#mostBytes = options.mostBytes ?? 96_000;
    this.#mostCalls = options.mostCalls ?? 400;
  }

  /** As the client's own request; reads wait for the others of their tick. */
  request(body: RpcBody): Promise<unknown> {
    const read = plainRead(body);
    if (!read) return this.#options.request(body);
    return new Promise((resolve, reject) => {
      if (this.#gathered.size === 0) setTimeout(() => this.#flush(), 0);
      const key = `${JSON.stringify(read.block)}:${read.to.toLowerCase()}:${read.data}`;
      const known = this.#gathered.get(key) ?? { ...read, waiting: [] };
      known.waiting.push({ resolve, reject });
      this.#gathered.set(key, known);
    });
  }

  #flush(): void {
    const byBlock = Map.groupBy(this.#gathered.values(), ({ block }) => JSON.stringify(block));
    this.#gathered = new Map();
    for (const calls of byBlock.values()) void this.#answerAll(calls);
  }

  async #answerAll(calls: readonly Gathered[]): Promise<void> {
    const isTogether = calls.length > 1 && (await this.#hasContract());
    if (!isTogether) {
      for (const call of calls) void this.#askAlone(call);
      return;
    }
    for (const chunk of this.#chunks(calls)) void this.#askTogether(chunk);
  }

  /** Whether the contract is there. What is not known yet is no: the reads go on without it. */
  async #hasContract(): Promise<boolean> {
    const { request, now } = this.#options;
    if (now() >= this.#askAgainAt) this.#isThere = undefined;
    this.#isThere ??= request({ method: 'eth_getCode', params: [MULTICALL3, 'latest'] })
      .then((code) => typeof code === 'string' && code.length > 2)
      .catch(() => false)
      .then((isThere) => {
        this.#askAgainAt = isThere ? Number.POSITIVE_INFINITY : now() + ASK_FOR_CODE_AGAIN_MS;
        return isThere;
      });
    return this.#isThere;
  }

  #chunks(calls: readonly Gathered[]): Gathered[][] {
    const chunks: Gathered[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const call of calls) {
      const added = bytesOf(call);
      const last = chunks.at(-1);
      if (last && last.length < this.#mostCalls && bytes + added <= this.#mostBytes) {
        last.push(call);
        bytes += added;
      } else {
        chunks.push([call]);
        bytes = added;
      }
    }
    return chunks;
  }

  async #askTogether(calls: readonly Gathered[]): Promise<void> {
    const [first] = calls;
    if (!first || calls.length === 1) {
      for (const call of calls) void this.#askAlone(call);
      return;
    }
    let parts: readonly Part[] | undefined;
    let isRefused = false;
    try {
      parts = await this.#partsOf(calls, first.block);
    } catch (error) {
      isRefused = true;
      // Smaller ones may be answered in time: at the next block.
      if (causesOf(error).some((cause) => cause instanceof TimeoutError)) this.#askForLess(calls);
      if (isRpcUnavailable(error) && !isTooLarge(error)) {
        for (const { waiting } of calls) for (const { reject } of waiting) reject(error);
        return;
      }
    }
    if (parts) {
      this.#settle(calls, parts);
      return;
    }
    const answered = await Promise.all(calls.map((call) => this.#askAlone(call)));
    // It was too much for the node, rather than a block it cannot answer for.
    if (isRefused && answered.every(Boolean)) this.#askForLess(calls);
  }

  #askForLess(calls: readonly Gathered[]): void {
    const asked = calls.reduce((sum, call) => sum + bytesOf(call), 0);
    this.#mostBytes = Math.max(LEAST_BYTES, Math.min(this.#mostBytes, asked) / 2);
  }

  /** Undefined where the contract is not at that block. */
  async #partsOf(calls: readonly Gathered[], block: unknown): Promise<readonly Part[] | undefined> {
    const inner = calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
    const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [inner] });
    const answer = (await this.#options.request({
      method: 'eth_call',
      params: [{ to: MULTICALL3, data }, block],
    })) as Hex;
    if (answer === '0x') return undefined;
    const parts = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
    return parts.length === calls.length ? parts : undefined;
  }

  #settle(calls: readonly Gathered[], parts: readonly Part[]): void {
    const failedEmpty = calls.filter((_call, index) => !parts[index]?.success && parts[index]?.returnData === '0x');
    // With one among them that is not known for it, the gas may have run out.
    const areKnown = failedEmpty.every((call) => this.#refusedEmpty.has(keyOf(call)));
    for (const [index, call] of calls.entries()) {
      const { success, returnData } = parts[index] ?? { success: false, returnData: '0x' };
      if (success) {
        this.#refusedEmpty.delete(keyOf(call));
        for (const { resolve } of call.waiting) resolve(returnData);
      } else if (returnData !== '0x' || areKnown)
        for (const { reject } of call.waiting) reject(this.#revert(call, returnData));
    }
    if (!areKnown) this.#askAgain(failedEmpty, calls.length);
  }

  /**
   * Reads that failed without data, with the gas of another call. When none of them was answered so, one of them uses it up: halves find
   * it, so that it costs the others a few calls and not one each.
   */
  #askAgain(failed: readonly Gathered[], asked: number): void {
    if (failed.length < asked) {
      void this.#askTogether(failed);
      return;
    }
    const half = Math.ceil(failed.length / 2);
    void this.#askTogether(failed.slice(0, half));
    if (half < failed.length) void this.#askTogether(failed.slice(half));
  }

  #revert(call: Gathered, data: Hex): RpcRequestError {
    const body = { method: 'eth_call', params: paramsOf(call) };
    const error = { code: 3, message: 'execution reverted', data };
    return new RpcRequestError({ body, error, url: this.#options.label });
  }

  /** @returns whether the node answered with a value. */
  async #askAlone(call: Gathered): Promise<boolean> {
    try {
      const result = (await this.#options.request({ method: 'eth_call', params: paramsOf(call) })) as Hex;
      this.#refusedEmpty.delete(keyOf(call));
      for (const { resolve } of call.waiting) resolve(result);
      return true;
    } catch (error) {
      if (isEmptyRevert(error)) {
        if (this.#refusedEmpty.size >= MOST_KNOWN_EMPTY) this.#refusedEmpty.clear();
        this.#refusedEmpty.add(keyOf(call));
      }
      for (const { reject } of call.waiting) reject(error);
      return false;
    }
  }
}

/** Whether the node or a proxy before it refused a request for its size. */
const isTooLarge = (error: unknown): boolean =>
  causesOf(error).some((cause) => cause instanceof HttpRequestError && cause.status === 413);

/** Whether the contract reverted and said nothing, as the node answered it to a request of its own. */
function isEmptyRevert(error: unknown): boolean {
  if (isRpcUnavailable(error) || !isObject(error)) return false;
  const { code, data, details } = error;
  const isRevert = code === 3 || /execution reverted/i.test(String(details ?? ''));
  return isRevert && (data === undefined || data === null || data === '0x');
}
