import { AppError } from '@castellan/contracts';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

/** A person meets a fault or two, and tries again; who meets more of one route makes them. */
const mostFaults = 10;
const msPerFault = 6_000;
const maxCallers = 20_000;

type Counted = { faults: number; atMs: number };

/** Bugs, and work that took too long or was done for nothing: what one caller's requests can bring about. That a service is away is nobody's doing. */
function isFault(error: AppError): boolean {
  if (error.code === 'INTERNAL' || error.code === 'ANSWER_TOO_LARGE') return true;
  return (error.cause as { type?: unknown } | undefined)?.type === 'REQUEST_TIMEOUT';
}

const keyOf = ({ verified, ip, method, routeOptions }: FastifyRequest): string =>
  `${verified?.caller.wallet_address ?? normalizeIP(ip)} ${method} ${routeOptions.url}`;

/**
 * Caps how often one caller's requests may fail on one route: beyond it they are refused at the edge for a while, so that they
 * neither open the circuit of the action for everybody nor keep a service at work.
 */
export class CallerFaults {
  readonly #counted = new LRUCache<string, Counted>({ max: maxCallers });
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  #faultsOf(key: string): number {
    const { faults, atMs } = this.#counted.get(key) ?? { faults: 0, atMs: 0 };
    return Math.max(0, faults - (this.#now() - atMs) / msPerFault);
  }

  /** @throws AppError RATE_LIMITED while the caller has met too many faults here. */
  check(request: FastifyRequest): void {
    const over = this.#faultsOf(keyOf(request)) - (mostFaults - 1);
    if (over <= 0) return;
    throw new AppError('RATE_LIMITED', 'Your requests to this route keep failing. Try again later.', {
      data: { retry_after_seconds: Math.max(1, Math.ceil((over * msPerFault) / 1000)) },
    });
  }

  count(request: FastifyRequest, error: AppError): void {
    if (!isFault(error)) return;
    const key = keyOf(request);
    this.#counted.set(key, { faults: this.#faultsOf(key) + 1, atMs: this.#now() });
  }
}
