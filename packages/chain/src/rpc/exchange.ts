import { HttpRequestError, ResponseBodyTooLargeError, TimeoutError } from 'viem';

/** `fetch` as the client uses it. */
export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** A JSON-RPC 2.0 call; `id` is unique within its HTTP request. */
export type RpcCall = { id: number; method: string; params: unknown };

/** What an endpoint sent; `body` is undefined when it is no JSON: an HTML page, or a part of an answer. */
export type Reply = { status: number; body: unknown; retryAfterMs: number | null };

/** Where calls are posted; `timeoutMs` is for the whole HTTP request. */
export type ExchangeOptions = {
  url: string;
  /** Stands for the URL in errors: a URL may carry a provider's key. */
  label: string;
  fetch: Fetch;
  timeoutMs: number;
};

/** As viem has it: larger answers are refused before they fill the memory. */
const MAX_BODY_BYTES = 10_485_760;

/** Seconds or a date, as HTTP has it; a date needs the wall clock, which is all that it can be compared with. */
function retryAfterOf(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+(?:\.\d+)?$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new ResponseBodyTooLargeError({ maxSize: MAX_BODY_BYTES, size });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the body, and providers quote keys: only that it is unreadable goes on.
    return undefined;
  }
}

function codeOf(error: unknown): string | undefined {
  let item = error as { code?: unknown; cause?: unknown } | undefined;
  for (let depth = 0; item !== undefined && item !== null && depth < 10; depth += 1) {
    if (typeof item.code === 'string') return item.code;
    item = item.cause as typeof item;
  }
  return undefined;
}

/**
 * Sends calls in one HTTP request, one alone without a list: some nodes know no batches.
 * @throws viem's HttpRequestError, TimeoutError (the body counts), ResponseBodyTooLargeError; none holds the URL or the body.
 */
export async function exchange(calls: readonly RpcCall[], options: ExchangeOptions): Promise<Reply> {
  const { url, label, timeoutMs } = options;
  const bodies = calls.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params }));
  const body = bodies.length === 1 ? bodies[0] : bodies;
  const aborted = new AbortController();
  const timer = setTimeout(() => aborted.abort(), timeoutMs);
  try {
    const response = await options.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body, (_name, value) => (typeof value === 'bigint' ? String(value) : value)),
      signal: aborted.signal,
    });
    // Providers quote the key they refuse.
    const text = response.status === 401 || response.status === 403 ? '' : await textOf(response);
    const { status, headers } = response;
    return { status, body: parsed(text), retryAfterMs: retryAfterOf(headers.get('retry-after')) };
  } catch (error) {
    if (error instanceof ResponseBodyTooLargeError) throw error;
    if (aborted.signal.aborted) throw new TimeoutError({ body: methodsOf(calls), url: label });
    // The original names the host, sometimes the whole URL, and is not passed on.
    const cause = new Error(`The connection failed (${codeOf(error) ?? 'no reason given'})`);
    throw new HttpRequestError({ body: methodsOf(calls), url: label, cause });
  } finally {
    clearTimeout(timer);
  }
}

/** What errors say of a request: a batch of calls with their data would fill the log. */
export const methodsOf = (calls: readonly RpcCall[]): { methods: string } => ({
  methods: [...new Set(calls.map(({ method }) => method))].join(', '),
});
