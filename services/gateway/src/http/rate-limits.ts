import { AppError, type RateClass } from '@castellan/contracts';
import rateLimit, { normalizeIP, type RateLimitOptions } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateConfig } from '../config.ts';
import { TokenBucketStore } from './token-bucket.ts';

/** Takes one request from a budget. @throws AppError RATE_LIMITED. */
export type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
export type RateLimits = Readonly<Record<RateClass | 'page', Limiter>>;

const refusal = (_request: FastifyRequest, { ttl }: { ttl: number }): AppError => {
  const seconds = Math.max(1, Math.ceil(ttl / 1000));
  return new AppError('RATE_LIMITED', `Too many requests. Try again in ${seconds} s.`, {
    data: { retry_after_seconds: seconds },
  });
};

/** Where a request comes from: its IPv4 address, or the /64 of its IPv6 address, which one visitor has whole. */
export const networkOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string => normalizeIP(ip);

type Budget = { name: string; max: number; timeWindow: number };

/** Says the budget and what is left of it as draft-ietf-httpapi-ratelimit-headers-10 has it, beside the headers of earlier drafts. */
const withBudget =
  (limiter: Limiter, { name, max, timeWindow }: Budget): Limiter =>
  async (request, reply) => {
    try {
      await limiter(request, reply);
    } finally {
      const left = reply.getHeader('ratelimit-remaining');
      const seconds = reply.getHeader('ratelimit-reset');
      reply
        .header('ratelimit-policy', `"${name}";q=${max};w=${Math.ceil(timeWindow / 1000)}`)
        .header('ratelimit', `"${name}";r=${left};t=${seconds}`);
    }
  };

type WalletOf = (request: FastifyRequest) => string | undefined;

/** Takes from what all wallets of a network have together as well: making a wallet costs nothing, and each has a budget of its own. */
function withNetwork(limiter: Limiter, { max, timeWindow }: Budget, walletOf: WalletOf, now: () => number): Limiter {
  const together = new TokenBucketStore({ now });
  return async (request, reply) => {
    await limiter(request, reply);
    if (walletOf(request) === undefined) return;
    together.incr(
      networkOf(request),
      (_error, answer) => {
        if (answer && answer.current > max) throw refusal(request, answer);
      },
      timeWindow,
      max,
    );
  };
}

/**
 * One handler per class of routes. A budget belongs to a wallet, however many tokens it has, and only once one of them was verified;
 * until then, and for the public, to the network: otherwise made-up tokens would each bring a budget of their own.
 */
export async function registerRateLimits(
  app: FastifyInstance,
  rates: RateConfig,
  options: { walletOf: (hash: string) => string | undefined; now: () => number },
): Promise<RateLimits> {
  const walletOf: WalletOf = ({ bearer }) => (typeof bearer === 'object' ? options.walletOf(bearer.hash) : undefined);
  class Store extends TokenBucketStore {
    constructor() {
      super({ now: options.now });
    }
  }
  await app.register(rateLimit, {
    global: false,
    enableDraftSpec: true,
    store: Store as unknown as NonNullable<RateLimitOptions['store']>,
    errorResponseBuilder: refusal as unknown as NonNullable<RateLimitOptions['errorResponseBuilder']>,
    keyGenerator: (request) => {
      const wallet = walletOf(request);
      return wallet === undefined ? `network:${networkOf(request)}` : `wallet:${wallet}`;
    },
  });
  const limit = (name: string, max: number, timeWindow: number) => {
    const own = withBudget(app.rateLimit({ max, timeWindow }) as unknown as Limiter, { name, max, timeWindow });
    return withNetwork(own, { name, max: max * rates.networkMultiple, timeWindow }, walletOf, options.now);
  };
  return {
    api: limit('api', rates.apiBurst, (rates.apiBurst / rates.apiPerSecond) * 1000),
    page: limit('page', rates.apiBurst, (rates.apiBurst / rates.apiPerSecond) * 1000),
    prepare: limit('prepare', rates.preparePerSecond, 1000),
    idp: limit('idp', rates.idpPerMinute, 60_000),
  };
}
