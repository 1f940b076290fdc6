import { AppError } from '@castellan/contracts';
import type { FastifyRequest } from 'fastify';
import type { StreamConfig } from '../config.ts';
import { networkOf } from '../http/rate-limits.ts';

type Asking = Pick<FastifyRequest, 'ip' | 'verified'>;
type Leave = () => void;

/**
 * The streams that are open, by who may hold so many: a wallet, and all wallets of a network together beyond the first of each, because wallets cost nothing; of
 * the public each network.
 */
export class Places {
  readonly #taken = new Map<string, number>();
  readonly #limits: Pick<StreamConfig, 'perCaller' | 'perNetwork'>;

  constructor(limits: Pick<StreamConfig, 'perCaller' | 'perNetwork'>) {
    this.#limits = limits;
  }

  /** @returns gives the place back. @throws AppError RATE_LIMITED when there is none left. */
  take(request: Asking): Leave {
    const { perCaller, perNetwork } = this.#limits;
    const network = networkOf(request);
    const ownLimit = `At most ${perCaller} streams may be open at once. Close one first.`;
    if (!request.verified) return this.#take(network, perCaller, ownLimit);
    const wallet = request.verified.caller.wallet_address;
    const isFirst = !this.#taken.has(wallet);
    const leave = this.#take(wallet, perCaller, ownLimit);
    // Whatever others of the network hold, everybody can follow one vault.
    if (isFirst) return leave;
    try {
      const leaveNetwork = this.#take(
        `wallets of ${network}`,
        perNetwork,
        `At most ${perNetwork} streams of all wallets together may be open from your network. Close one first.`,
      );
      return () => {
        leave();
        leaveNetwork();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  #take(owner: string, most: number, message: string): Leave {
    const used = this.#taken.get(owner) ?? 0;
    if (used >= most) throw new AppError('RATE_LIMITED', message, { data: { retry_after_seconds: 10 } });
    this.#taken.set(owner, used + 1);
    return () => {
      const left = (this.#taken.get(owner) ?? 1) - 1;
      if (left > 0) this.#taken.set(owner, left);
      else this.#taken.delete(owner);
    };
  }
}
