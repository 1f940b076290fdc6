import { LeaseLost, type Logger } from '@castellan/service-kit';
import { gapsBelow, type TransactionSigner, transactor } from '@castellan/transactor';
import type { Address } from 'viem';
import type { Cancel, Clock, SignedPrice, Transmitter } from '../ports.ts';
import { isLive, newIntent } from './intent.ts';
import { type ChainView, type Head, lookAtChain } from './rpcs.ts';
import { admit, fill, type Step } from './sender.ts';
import {
  type About,
  type Intent,
  NonceTaken,
  type PendingEvent,
  type PriceContract,
  type Rpcs,
  type TransmitEvent,
  type TransmitSettings,
  type TransmitStore,
} from './types.ts';
import { follow } from './watcher.ts';

export type TransactionManagerOptions = {
  store: TransmitStore;
  rpcs: Rpcs;
  signer: TransactionSigner;
  contract: PriceContract;
  settings: TransmitSettings;
  clock: Clock;
  /** Wall time: leases and stored times outlive the process. */
  now: () => Date;
  /** State changes are given to it until it resolves; see {@link TransmitEvent}. */
  onEvent: (event: TransmitEvent) => Promise<void> | void;
  log: Logger;
};

/** Without any transmission, what is left to see are nonces that somebody else used: looked for this many times more rarely. */
const idleFactor = 30;

/** The lease may have gone to another process while this one was busy. */
class NotHeld extends Error {
  override readonly name = 'NotHeld';
}

/** Sends for one account on one chain, from one process at a time; everything it knows is in the store. */
export class TransactionManager implements Transmitter {
  readonly #options: TransactionManagerOptions;
  readonly #alerted = new Set<string>();
  #claimed: number | undefined;
  #heldUntilMs = 0;
  #checkedPending = false;
  #isBalanceLow = false;
  #holding: boolean | undefined;
  #seenHead: Head | undefined;
  #lagSinceMs: number | undefined;
  #handledHead: string | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #timer: Cancel | undefined;
  #started = false;
  /** Polls to come that need not look, as there is nothing to look after. */
  #idlePolls = 0;
  /** The last step found nothing to send, to follow or to tell. */
  #isIdle = false;

  constructor(options: TransactionManagerOptions) {
    this.#options = options;
  }

  async submit(key: string, prices: readonly SignedPrice[], about: About): Promise<void> {
    const { store, settings, now } = this.#options;
    const foreign = prices.find(({ chainId }) => chainId !== settings.chainId);
    if (foreign) throw new Error(`A price of chain ${foreign.chainId} cannot be sent on chain ${settings.chainId}.`);
    if (prices.length === 0) throw new Error(`${key} holds no price.`);
    await store.add(newIntent({ key, prices, about, createdAt: now() }));
    this.#idlePolls = 0;
    if (this.#started) void this.#wake();
  }

  /** Where a transmission stands; null: it was never taken over. */
  status(key: string): Promise<Intent | null> {
    return this.#options.store.find(key);
  }

  start(): void {
    this.#started = true;
    void this.#wake();
  }

  /** Ends after the step under way; what is unfinished is in the store. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#timer?.();
    await this.#running;
    if (this.#claimed === undefined) return;
    await this.#options.store.release().catch((error: unknown) => {
      this.#options.log.warn('the lease of the account was left to expire', { error });
    });
    this.#claimed = undefined;
  }

  #wake(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#loop().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #loop(): Promise<void> {
    this.#timer?.();
    while (this.#again && this.#started) {
      this.#again = false;
      await this.#stepOrRest().catch((error: unknown) => {
        this.#options.log.warn('a step of the transmitter is done again', { error });
      });
    }
    if (this.#started) this.#timer = this.#options.clock.after(this.#options.settings.pollMs, () => void this.#wake());
  }

  /** While nothing is to be looked after, most polls renew the lease and no more. */
  async #stepOrRest(): Promise<void> {
    if (this.#idlePolls > 0) {
      this.#idlePolls -= 1;
      const before = this.#claimed;
      if ((await this.#hold()) !== before) this.#idlePolls = 0;
      return;
    }
    await this.step();
    // What was handed over meanwhile has its turn next.
    if (this.#isIdle && !this.#again) this.#idlePolls = idleFactor;
  }

  /** One look at the chain and all that follows from it. @throws what the store or the nodes threw; the next step goes on. */
  async step(): Promise<void> {
    this.#isIdle = false;
    const token = await this.#hold();
    if (token === undefined) return;
    await this.#publishPending(token);
    const view = await lookAtChain(this.#options.rpcs, this.#options.signer.address, this.#options.settings);
    if (this.#lags(view.head)) return;
    const isNewHead = view.head.hash !== this.#handledHead;
    const isComplete = await this.#work(this.#stepOf(view, token), isNewHead).catch((error: unknown) => {
      if (error instanceof LeaseLost || error instanceof NonceTaken) this.#claimed = undefined;
      throw error;
    });
    if (isComplete) this.#handledHead = view.head.hash;
    const isAllPublished = await this.#publishPending(token);
    this.#isIdle &&= isAllPublished;
  }

  /** @returns the token while the account is ours; renewed when half of the lease is used up. */
  async #hold(): Promise<number | undefined> {
    const { store, settings, now } = this.#options;
    const askedAt = now().getTime();
    if (this.#claimed !== undefined && this.#heldUntilMs - askedAt > settings.leaseMs / 2) return this.#claimed;
    const token = await store.hold();
    if (token === undefined) {
      this.#claimed = undefined;
      this.#tellHolding(false);
      return undefined;
    }
    this.#heldUntilMs = askedAt + settings.leaseMs;
    if (this.#claimed !== token) {
      await store.claim(token);
      this.#claimed = token;
      this.#checkedPending = false;
      this.#handledHead = undefined;
    }
    this.#tellHolding(true);
    return token;
  }

  #tellHolding(holds: boolean): void {
    if (this.#holding === holds) return;
    this.#holding = holds;
    this.#tell({ type: holds ? 'held' : 'standby' });
  }

  /** A node behind the others would look like a reorganisation; a real one soon overtakes what was seen, or lasts. */
  #lags(head: Head): boolean {
    const nowMs = this.#options.now().getTime();
    if (this.#seenHead && head.number < this.#seenHead.number) {
      this.#lagSinceMs ??= nowMs;
      if (nowMs - this.#lagSinceMs < this.#options.settings.headLagMs) return true;
    }
    this.#seenHead = head;
    this.#lagSinceMs = undefined;
    return false;
  }

  #stepOf(view: ChainView, token: number): Step {
    const { store, rpcs, signer, contract, settings, now } = this.#options;
    return {
      ...{ store, rpcs, settings, now, view, token, address: signer.address },
      account: transactor({ signer, chain: view, policy: settings.fees, bumpAfterBlocks: settings.bumpAfterBlocks }),
      contract: troubled(contract),
      ensureHeld: () => {
        if (now().getTime() >= this.#heldUntilMs) throw new NotHeld('The lease of the account may have ended.');
      },
      tell: (event) => this.#tell(event),
      alert: (event) => {
        const id = `${event.key}:${event.reason}`;
        if (!this.#alerted.has(id)) this.#tell(event);
        this.#alerted.add(id);
      },
    };
  }

  /** @returns whether every intent could be looked after. */
  async #work(step: Step, isNewHead: boolean): Promise<boolean> {
    const { store, settings } = this.#options;
    const failures: unknown[] = [];
    const apart = async <T>(key: string, work: () => Promise<T>): Promise<T | undefined> => {
      if ((await this.#hold()) !== step.token) throw new NotHeld('Another process holds the account now.');
      return work().catch((error: unknown) => {
        // What concerns one intent must not stop the others; what concerns the account or the store must.
        if (!(error instanceof ContractTrouble)) throw error;
        failures.push(error);
        this.#options.log.warn('a transmission waits', { key, error });
        return undefined;
      });
    };
    const live = await store.live();
    for (const [index, intent] of live.entries()) {
      await apart(intent.key, () => follow(step, intent, { isLowest: index === 0, isNewHead }));
    }
    await this.#reconcile(step);
    const inFlight = await store.live();
    const waiting = new Set(inFlight.filter(({ state }) => state !== 'mined').map(({ key }) => key));
    let room = settings.maxInFlight - waiting.size;
    const queued = await store.queued(settings.maxInFlight);
    this.#isIdle = inFlight.length === 0 && queued.length === 0;
    for (const intent of queued) {
      if (room <= 0) break;
      if (intent.retryOf !== null && waiting.has(intent.retryOf)) continue;
      const result = await apart(intent.key, () => admit(step, intent, () => this.#nextNonce(step)));
      if (result === 'halt') break;
      if (result === 'sent') room -= 1;
    }
    return failures.length === 0;
  }

  /** T2: what the chain and the store say of the account's nonces is made to agree. */
  async #reconcile(step: Step): Promise<void> {
    const { store, signer } = this.#options;
    const highest = await store.highestNonce();
    const count = await step.view.count();
    const expected = highest === null ? count : highest + 1;
    if (!this.#checkedPending) {
      const found = await step.view.pendingCount();
      if (found > Math.max(expected, count)) this.#foreign(signer.address, expected, found, 'pending');
      this.#checkedPending = true;
    }
    if (count > expected) this.#foreign(signer.address, expected, count, 'latest');
    const covered = new Set((await store.live()).map(({ nonce }) => nonce));
    for (const nonce of gapsBelow(expected, count, covered)) await fill(step, nonce);
  }

  #foreign(account: Address, expected: number, found: number, where: 'latest' | 'pending'): void {
    const id = `foreign:${where}:${found}`;
    if (this.#alerted.has(id)) return;
    this.#alerted.add(id);
    this.#tell({ type: 'foreign_nonce', account, expected, found, where });
  }

  async #nextNonce(step: Step): Promise<number> {
    const highest = await step.store.highestNonce();
    return Math.max(highest === null ? 0 : highest + 1, await step.view.count());
  }

  #tell(event: TransmitEvent): void {
    if (event.type === 'attempted' && event.result === 'accepted') this.#isBalanceLow = false;
    if (event.type === 'balance_low') {
      if (this.#isBalanceLow) return;
      this.#isBalanceLow = true;
    }
    Promise.resolve()
      .then(() => this.#options.onEvent(event))
      .catch((error: unknown) => this.#options.log.warn('an event of the transmitter was not taken', { error }));
  }

  /** @returns whether there was nothing to tell. */
  async #publishPending(token: number): Promise<boolean> {
    const { store, log } = this.#options;
    const unpublished = await store.withPendingEvents();
    for (const intent of unpublished) {
      try {
        for (const event of intent.pendingEvents) await this.#options.onEvent(storedEvent(intent, event));
      } catch (error) {
        log.warn('an event of the transmitter is published again', { key: intent.key, error });
        continue;
      }
      await store.save({ ...intent, pendingEvents: [] }, token);
      if (!isOpen(intent)) this.#forget(intent.key);
    }
    return unpublished.length === 0;
  }

  #forget(key: string): void {
    for (const id of this.#alerted) if (id.startsWith(`${key}:`)) this.#alerted.delete(id);
  }
}

const isOpen = ({ state }: Intent): boolean => state === 'queued' || isLive({ state });

const storedEvent = ({ key, kind, about, prices, nonce }: Intent, event: PendingEvent): TransmitEvent => ({
  ...event,
  ...{ key, kind, about, prices, nonce },
});

/** The contract could not be asked about one transmission. */
class ContractTrouble extends Error {
  override readonly name = 'ContractTrouble';
}

function troubled(contract: PriceContract): PriceContract {
  const trouble = (cause: unknown): never => {
    throw new ContractTrouble('The contract could not be asked about a transmission.', { cause });
  };
  const trying = <T>(ask: () => T | Promise<T>): Promise<T> => Promise.resolve().then(ask).catch(trouble);
  return {
    pack: (prices) => {
      try {
        return contract.pack(prices);
      } catch (error) {
        return trouble(error);
      }
    },
    judge: (receipt, prices, node) => trying(() => contract.judge(receipt, prices, node)),
    stillUseful: (prices) => trying(() => contract.stillUseful(prices)),
  };
}
