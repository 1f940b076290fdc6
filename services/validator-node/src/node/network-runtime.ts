import type { Logger } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Running } from '../chain/config-tracker.ts';
import type { NodeConfig } from '../config/load.ts';
import type { NodeKeys } from '../keys/bundle.ts';
import type { NodeEvent } from '../monitoring/events.ts';
import type { PluginObserver } from '../plugin/events.ts';
import { PpsPlugin } from '../plugin/pps-plugin.ts';
import type { Clock, NetworkConfig, Observer, Random, Transmitter } from '../ports.ts';
import { maxMessageBytes } from '../protocol/messages.ts';
import { createOracle, type Oracle } from '../protocol/oracle.ts';
import type { MongoProtocolStore } from '../store/protocol-store.ts';
import type { Sessions } from '../store/sessions.ts';
import type { ValidatorBus } from '../transport/bus.ts';
import { createNatsTransport } from '../transport/nats-transport.ts';
import { rateFor } from '../transport/rate.ts';
import type { ChainRuntime } from './chain-runtime.ts';
import { limits } from './limits.ts';
import { EmptyGuardError, ensureGuard } from './sign-guard.ts';
import { yieldToEventLoop } from './system.ts';

export type NetworkRuntimeOptions = {
  config: NodeConfig;
  keys: NodeKeys;
  bus: ValidatorBus;
  connection: Connection;
  store: MongoProtocolStore;
  sessions: Sessions;
  chains: readonly ChainRuntime[];
  clock: Clock;
  random: Random;
  onProtocol: Observer;
  onPlugin: PluginObserver;
  /** The node must not go on: what its operator has to decide. */
  onRefused: (reason: string) => void;
  emit: (event: NodeEvent) => void;
  log: Logger;
};

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 120_000;

/** Runs one configuration at a time: the old instance has ended before the new one says its first word. */
export class NetworkRuntime {
  readonly #options: NetworkRuntimeOptions;
  #oracle: Oracle | undefined;
  #wanted: { config: NetworkConfig; index: number } | undefined;
  #cancelRetry: () => void = () => undefined;
  #beginning: Promise<void> = Promise.resolve();

  constructor(options: NetworkRuntimeOptions) {
    this.#options = options;
  }

  /** Ends what runs, then runs this; an outsider and a refused configuration run nothing. */
  async switchTo(running: Running): Promise<void> {
    await this.stop();
    if (running.kind !== 'member') return this.#ensureGuard(running.kind);
    this.#wanted = running;
    await this.#begin(FIRST_RETRY_MS);
  }

  async stop(): Promise<void> {
    this.#wanted = undefined;
    this.#cancelRetry();
    // A retry that is under way must not become a second instance beside the next one.
    await this.#beginning;
    await this.#oracle?.stop();
    this.#oracle = undefined;
  }

  inspect(): ReturnType<Oracle['inspect']> | null {
    return this.#oracle?.inspect() ?? null;
  }

  #begin(retryMs: number): Promise<void> {
    this.#beginning = this.#tryOnce(retryMs);
    return this.#beginning;
  }

  async #tryOnce(retryMs: number): Promise<void> {
    const { log, clock } = this.#options;
    const wanted = this.#wanted;
    if (!wanted) return;
    try {
      const oracle = await this.#make(wanted.config, wanted.index);
      await oracle.start();
      this.#oracle = oracle;
      log.info('protocol started', { digest: wanted.config.digest, index: wanted.index });
    } catch (error) {
      if (error instanceof EmptyGuardError) this.#options.onRefused(error.message);
      if (this.#wanted !== wanted || error instanceof EmptyGuardError) return;
      log.warn('could not start the protocol', { retryInMs: retryMs, error: error as Error });
      this.#cancelRetry = clock.after(retryMs, () => void this.#begin(Math.min(retryMs * 2, LAST_RETRY_MS)));
    }
  }

  #ensureGuard(kind: Running['kind']): Promise<void> {
    const { store, keys, chains, config } = this.#options;
    return ensureGuard(kind, {
      store,
      chains,
      signer: keys.onchain.address,
      setting: config.ocr2.empty_guard,
      futureToleranceSeconds: limits.futureToleranceSeconds,
    });
  }

  async #make(config: NetworkConfig, index: number): Promise<Oracle> {
    await this.#ensureGuard('member');
    const { keys, bus, store, sessions, chains, clock, random, onProtocol, onPlugin, emit } = this.#options;
    const { max_pps_deviation_ppb: ppb } = this.#options.config.monitoring;
    emit({ type: 'evidence_kept', counts: await store.countEvidence(config.digest) });
    const plugin = new PpsPlugin({
      config,
      keyring: keys.onchain,
      clock,
      yieldToEventLoop,
      emit: onPlugin,
      chains: chains.map((chain) => chain.observer(config, keys.onchain)),
      settings: {
        maxStaleSeconds: limits.maxStaleSeconds,
        futureToleranceSeconds: limits.futureToleranceSeconds,
        maxDeviationPpb: ppb === 0 ? null : BigInt(ppb),
        holdDeviating: false,
      },
    });
    const transport = createNatsTransport({
      bus,
      network: this.#options.config.bus.network,
      digest: config.digest,
      index,
      offchainKeys: config.oracles.map(({ offchainKey }) => offchainKey),
      keyring: keys.offchain,
      session: await sessions.next(`${config.digest}:${index}`, clock.now()),
      maxBodyBytes: maxMessageBytes({ oracles: config.oracles.length, ...plugin.limits }),
      rate: rateFor(config.timing),
      now: clock.now,
      // What comes through is counted by the protocol, which knows what it was.
      onMessage: (from, result) => result !== 'ok' && emit({ type: 'transport_message', from, result }),
    });
    const observer: Observer = (event) => {
      if (event.type === 'fault')
        this.#options.log.warn('protocol error', { where: event.where, error: event.error as Error });
      if (event.type === 'conflicting_signatures') this.#options.log.error('conflicting signatures kept', { ...event });
      if (event.type === 'guard_recovered')
        this.#options.log.info('the sign guard has waited out an epoch', { epoch: event.epoch });
      onProtocol(event);
    };
    return createOracle({
      config,
      index,
      clock,
      random,
      transport,
      store,
      plugin,
      transmitter: this.#transmitter(),
      keyring: keys.offchain,
      observer,
    });
  }

  /** One transaction for each chain of a report. */
  #transmitter(): Transmitter {
    const { chains } = this.#options;
    return {
      submit: async (key, prices, about) => {
        // Side by side, so that a chain that does not answer holds up no other; a second time, what was taken is not taken again.
        const handed = await Promise.allSettled(
          chains.map(async (chain) => {
            const own = prices.filter(({ chainId }) => chainId === chain.chainId);
            if (own.length > 0) await chain.submit(key, own, about);
          }),
        );
        const failed = handed.find((each) => each.status === 'rejected');
        if (failed) throw failed.reason;
      },
    };
  }
}
