import { HttpRequestError, ResponseBodyTooLargeError, RpcRequestError } from 'viem';
import { CallBudget } from './call-budget.ts';
import { exchange, type Fetch, methodsOf, type Reply, type RpcCall } from './exchange.ts';
import { type Refusal, type RpcErrorBody, refusalOf } from './refusals.ts';

/** A refusal as metrics see it. `endpoint` is its place in the list: never its URL, which may carry a key. */
export type RpcRefusal = { chainId: number; endpoint: string; kind: Refusal['kind'] };

/** One RPC URL with its limits. */
export type EndpointOptions = {
  name: string;
  url: string;
  label: string;
  fetch: Fetch;
  timeoutMs: number;
  /** The most calls in one HTTP request; the endpoint may teach a lower number. Below 2, each goes alone. */
  batchSize: number;
  /** A call that would have to wait longer for its turn fails at once. */
  maxWaitMs: number;
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  onRefusal: (kind: Refusal['kind']) => void;
};

type Pending = RpcCall & {
  /** When it fails rather than waits. */
  deadline: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
};
type Item = { id?: unknown; error?: unknown; result?: unknown };

const isObject = (value: unknown): value is Item => typeof value === 'object' && value !== null;

/** The error of an answer; providers send it as text, too, and its code as text. */
function errorOf(value: unknown): RpcErrorBody | undefined {
  if (!isObject(value) || value.error === undefined || value.error === null) return undefined;
  if (!isObject(value.error)) return { code: 0, message: String(value.error) };
  const { code, message, data } = value.error as { code?: unknown; message?: unknown; data?: unknown };
  return { code: Number(code) || 0, message: String(message ?? ''), data };
}

/** One RPC URL: batches the calls of a tick, keeps to what the endpoint takes, and learns how much that is. */
export class RpcEndpoint {
  readonly name: string;
  readonly #options: EndpointOptions;
  readonly #budget: CallBudget;
  #batchLimit: number;
  #lastId = 0;
  #queue: Pending[] = [];

  constructor(options: EndpointOptions) {
    this.name = options.name;
    this.#options = options;
    this.#budget = new CallBudget(options.now);
    this.#batchLimit = Math.max(1, options.batchSize);
  }

  /** Milliseconds until it would take a call. */
  waitMs(): number {
    return this.#budget.waitMs();
  }

  /** The most calls in one HTTP request, as far as is known. */
  get batchLimit(): number {
    return this.#batchLimit;
  }

  /**
   * The result of one call.
   * @throws viem's RpcRequestError with what the node answered; HttpRequestError, TimeoutError or ResponseBodyTooLargeError
   * when it did not.
   */
  request(method: string, params: unknown): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const deadline = this.#options.now() + this.#options.maxWaitMs;
    return new Promise((resolve, reject) => {
      if (this.#queue.length === 0) setTimeout(() => this.#flush(), 0);
      this.#queue.push({ id, method, params, deadline, resolve, reject });
    });
  }

  #flush(): void {
    const calls = this.#queue;
    this.#queue = [];
    this.#sendAll(calls);
  }

  #sendAll(calls: readonly Pending[]): void {
    const size = Math.min(this.#batchLimit, this.#budget.burst);
    for (let start = 0; start < calls.length; start += size) {
      const batch = calls.slice(start, start + size);
      this.#send(batch).catch((error: unknown) => rejectAll(batch, error));
    }
  }

  async #send(calls: readonly Pending[]): Promise<void> {
    const { sleep, now } = this.#options;
    const wait = this.#budget.take(calls.length);
    if (calls.some(({ deadline }) => now() + wait > deadline)) {
      this.#budget.giveBack(calls.length);
      throw this.#httpError(calls, 429, `Not asked for another ${Math.ceil(wait / 1_000)} s: rate limited.`);
    }
    const { cuts } = this.#budget;
    if (wait > 0) await sleep(wait);
    if (this.#budget.cuts !== cuts) {
      // Refused meanwhile: the pause and the lower rate are for these calls, too.
      this.#sendAll(calls);
      return;
    }
    const sentAt = now();
    let reply: Reply;
    try {
      reply = await exchange(calls, this.#options);
    } catch (error) {
      if (!(error instanceof ResponseBodyTooLargeError) || calls.length === 1) throw error;
      // For what was asked, not for how many calls: in parts, and the size of other batches stays.
      const half = Math.ceil(calls.length / 2);
      this.#sendAll(calls.slice(0, half));
      this.#sendAll(calls.slice(half));
      return;
    }
    this.#take(calls, reply, sentAt);
  }

  #take(calls: readonly Pending[], reply: Reply, sentAt: number): void {
    if (Array.isArray(reply.body)) this.#takeList(calls, reply.body, reply, sentAt);
    else this.#takeOne(calls, reply, sentAt);
  }

  /** An answer that is one object: to one call, or about a whole batch. */
  #takeOne(calls: readonly Pending[], reply: Reply, sentAt: number): void {
    const { status, body } = reply;
    const [first] = calls;
    const error = errorOf(body);
    const refusal = error ? refusalOf(error, calls.length === 1 ? first?.method : undefined) : null;
    if (calls.length > 1 && isBatchRefused(status, error, refusal)) {
      this.#splitBatch(calls, calls.length, refusal?.kind === 'batch_too_large' ? refusal.limit : null);
      return;
    }
    if (status === 429 || refusal?.kind === 'rate_limited') this.#limited(reply, refusal, sentAt);
    else if (refusal) this.#options.onRefusal(refusal.kind);
    else this.#budget.answered();
    const isAnswer = status !== 429 && calls.length === 1 && (status < 500 || refusal || isFromContract(error));
    if (first && error && isAnswer) first.reject(this.#rpcError(first, error));
    else if (first && status < 300 && calls.length === 1 && isObject(body) && body.result !== undefined)
      first.resolve(body.result);
    else rejectAll(calls, this.#httpError(calls, status, error?.message ?? 'The answer is not one of JSON-RPC.'));
  }

  /** Answers may come in any order, and some may be missing. */
  #takeList(calls: readonly Pending[], list: readonly unknown[], reply: Reply, sentAt: number): void {
    const byId = new Map(list.filter(isObject).map((item) => [Number(item.id), item]));
    const refused: Pending[] = [];
    let batchLimit: number | null | undefined;
    let limited: Refusal | null = null;
    for (const call of calls) {
      const item = byId.get(call.id);
      const error = errorOf(item);
      const refusal = error ? refusalOf(error, call.method) : null;
      const isTooMuch = refusal?.kind === 'batch_too_large' || (calls.length > 1 && isTooLarge(error));
      if (isTooMuch) batchLimit = refusal?.kind === 'batch_too_large' ? refusal.limit : null;
      if (refusal?.kind === 'rate_limited') limited = refusal;
      if (isTooMuch || item === undefined) refused.push(call);
      else if (error) call.reject(this.#rpcError(call, error));
      else if (item.result === undefined)
        call.reject(this.#httpError([call], reply.status, 'Neither result nor error.'));
      else call.resolve(item.result);
    }
    if (limited) this.#limited(reply, limited, sentAt);
    else this.#budget.answered();
    if (refused.length === 0) return;
    const isSplit = batchLimit !== undefined && calls.length > 1;
    if (isSplit) this.#splitBatch(refused, calls.length, batchLimit ?? null);
    else rejectAll(refused, this.#httpError(refused, reply.status, 'The answer to a batch is not complete.'));
  }

  /** Sends a refused batch again in smaller ones, and keeps to their size from now on. */
  #splitBatch(calls: readonly Pending[], size: number, limit: number | null): void {
    this.#options.onRefusal('batch_too_large');
    const isLower = limit !== null && limit > 0 && limit < size;
    this.#batchLimit = Math.min(this.#batchLimit, isLower ? limit : Math.floor(size / 2));
    this.#sendAll(calls);
  }

  #limited({ retryAfterMs }: Reply, refusal: Refusal | null, sentAt: number): void {
    this.#options.onRefusal('rate_limited');
    const said = refusal?.kind === 'rate_limited' ? refusal : { retryAfterMs: null, allowedPerSecond: null };
    this.#budget.refused({ ...said, retryAfterMs: retryAfterMs ?? said.retryAfterMs }, sentAt);
  }

  #rpcError(call: Pending, error: RpcErrorBody): RpcRequestError {
    const body = { method: call.method, params: call.params };
    return new RpcRequestError({ body, error, url: this.#options.label });
  }

  #httpError(calls: readonly RpcCall[], status: number, details: string): HttpRequestError {
    return new HttpRequestError({ body: methodsOf(calls), details, status, url: this.#options.label });
  }
}

function rejectAll(calls: readonly Pending[], error: unknown): void {
  for (const { reject } of calls) reject(error);
}

/** A node that answers a batch with one error did not take it as a batch, unless it says what else is the matter. */
function isBatchRefused(status: number, error: RpcErrorBody | undefined, refusal: Refusal | null): boolean {
  if (refusal) return refusal.kind === 'batch_too_large';
  if (status === 413) return true;
  return status < 500 && status !== 429 && status !== 401 && status !== 403 && (error !== undefined || status === 400);
}

/** geth and proxies give up on the rest of a batch when its answers are too long together. */
const isTooLarge = (error: RpcErrorBody | undefined): boolean =>
  /response (?:is )?too large/i.test(error?.message ?? '');

/** Some nodes send HTTP 500 with a revert. */
const isFromContract = (error: RpcErrorBody | undefined): boolean =>
  error !== undefined && (error.code === 3 || /revert/i.test(error.message));
