import { type Address, getAddress } from 'viem';
import { signedBy } from '../keys/signed-by.ts';
import {
  type AttestedReport,
  type AttributedObservation,
  type Clock,
  type NetworkConfig,
  type OnchainKeyring,
  type PhaseName,
  type PhaseResult,
  type Plugin,
  type RoundContext,
  type SignedPrice,
  strategyKey,
} from '../ports.ts';
import { quorumsOf } from '../protocol/quorum.ts';
import { aggregate } from './aggregate.ts';
import { CodecError } from './bytes.ts';
import type { ChainStates, ChainView, StrategyState } from './chain-view.ts';
import type { PluginObserver } from './events.ts';
import {
  type ChainObservation,
  decodeObservation,
  encodeObservation,
  entriesPerObservation,
  observationBytes,
} from './observation.ts';
import { deviationPpb, isPriceDue } from './price-due.ts';
import { type PluginSettings, type SendRefusal, sendRefusal, signRefusal, tripsDeviation } from './refusals.ts';
import { decodeReport, encodeReport, entriesIn, type ReportEntry, reportBytes } from './report.ts';
import { SIGNATURE_BYTES, signEntries, signedOf, signedPrice, verifyEntries, withheld } from './signatures.ts';

export type PpsPluginOptions = {
  config: NetworkConfig;
  chains: readonly ChainView[];
  keyring: OnchainKeyring;
  clock: Clock;
  /** Awaited between two entries, whose signatures take a millisecond each: others have the processor meanwhile. */
  yieldToEventLoop: () => Promise<void>;
  settings: PluginSettings;
  emit: PluginObserver;
};

/** Part of the budget after which an observation takes what is there: the rest is for encoding, signing and the way back. */
const OBSERVATION_SHARE = 0.8;

const noQuery = new Uint8Array();

/** Prices of vault shares, each node's own view of the chains turned into one report. */
export class PpsPlugin implements Plugin {
  readonly limits: Plugin['limits'];
  readonly #options: PpsPluginOptions;
  readonly #chains: ReadonlyMap<number, ChainView>;
  readonly #maxEntries: number;
  /** What this node last observed itself, for the deviation guard. */
  readonly #observed = new Map<string, { pps: bigint; at: number }>();
  readonly #nonces = new Map<string, bigint>();
  readonly #accepted = new Map<string, { nonce: bigint; pps: bigint; at: number }>();
  readonly #isSignedBy = signedBy();
  readonly #needed: number;
  #newest = { epoch: 0, round: 0 };

  constructor(options: PpsPluginOptions) {
    this.#options = options;
    this.#chains = new Map(options.chains.map((chain) => [chain.chainId, chain]));
    this.#maxEntries = entriesPerObservation(options.config.oracles.length);
    this.#needed = quorumsOf(options.config).signatures;
    this.limits = {
      query: 0,
      observation: observationBytes(this.#maxEntries),
      report: reportBytes(this.#maxEntries),
      signature: this.#maxEntries * SIGNATURE_BYTES,
    };
  }

  async query(): Promise<Uint8Array> {
    return this.#phase('query', async () => ['success', noQuery]);
  }

  async observation(context: RoundContext, _query: Uint8Array): Promise<Uint8Array> {
    return this.#phase('observation', async () => {
      const chains = await this.#observeAll(context.signal);
      if (chains.length === 0) throw new Error('No chain could be observed.');
      const kept = this.#withinLimit(chains);
      this.#remember(kept);
      return ['success', encodeObservation(kept)];
    });
  }

  validateObservation(query: Uint8Array, observation: Uint8Array): boolean {
    return query.length === 0 && this.#decode(observation) !== null;
  }

  due(observation: Uint8Array): readonly string[] {
    const { pricing } = this.#options.config;
    return (this.#decode(observation) ?? []).flatMap(({ chainId, timestamp, entries }) =>
      entries
        .filter(
          (entry) => !entry.paused && !entry.upkeepShort && isPriceDue({ pps: entry.pps, timestamp }, entry, pricing),
        )
        .map(({ strategy }) => strategyKey(chainId, strategy)),
    );
  }

  report(query: Uint8Array, observations: readonly AttributedObservation[]): Uint8Array | null {
    const started = this.#options.clock.now();
    const done = (result: PhaseResult) => this.#emitPhase('report', result, started);
    if (query.length > 0) {
      done('failure');
      return null;
    }
    const { f, pricing } = this.#options.config;
    const valid = observations.flatMap(({ observation }) => {
      const chains = this.#decode(observation);
      return chains === null ? [] : [chains];
    });
    const { entries, leftOut } = aggregate({ f, pricing }, valid);
    for (const { chainId, strategy, reason, observers } of leftOut) {
      // What only the faulty name may not exist at all.
      const isReal = observers > f || this.#isListed(chainId, strategy);
      if ((reason === 'insufficient' || reason === 'no_nonce') && isReal) {
        this.#options.emit({ type: 'insufficient_observations', chainId, strategy, observers });
      }
      if (reason === 'upkeep') this.#options.emit({ type: 'held', chainId, strategy, reason });
    }
    done('success');
    return entries.length === 0 ? null : encodeReport(entries.slice(0, this.#maxEntries));
  }

  prices(report: Uint8Array): readonly bigint[] {
    return decodeReport(report).map(({ pps }) => pps);
  }

  commitments(report: Uint8Array): ReturnType<Plugin['commitments']> {
    const entries = decodeReport(report);
    return {
      entries: entries.map(({ chainId, strategy, nonce, timestamp }) => ({
        chainId,
        nonce,
        timestamp,
        strategy: getAddress(strategy),
      })),
      canonicalNonces: new Map(
        entries.flatMap(({ chainId, strategy }) => {
          const nonce = this.#nonces.get(strategyKey(chainId, strategy));
          return nonce === undefined ? [] : [[strategyKey(chainId, strategy), nonce] as const];
        }),
      ),
    };
  }

  async sign(_context: RoundContext, report: Uint8Array, maySign?: readonly boolean[]): Promise<Uint8Array | null> {
    const started = this.#options.clock.now();
    const entries = decodeReport(report);
    const refusals = await this.#refusalsOf(entries);
    for (const result of new Set(refusals)) if (result !== null) this.#emitPhase('report', result, started);
    const isToBeSigned = refusals.map((refusal, index) => refusal === null && (maySign?.[index] ?? true));
    if (!isToBeSigned.includes(true)) return null;
    return signEntries(entries, isToBeSigned, this.#separator, this.#options);
  }

  signedEntries(report: Uint8Array, signature: Uint8Array): readonly boolean[] {
    return signedOf(signature, entriesIn(report)) ?? [];
  }

  async verify(report: Uint8Array, signature: Uint8Array, signer: number): Promise<boolean> {
    const oracle = this.#options.config.oracles[signer];
    const entries = this.#decodeReport(report);
    if (oracle === undefined || entries === null) return false;
    return verifyEntries(entries, signature, oracle.signer, {
      separators: this.#separator,
      isSignedBy: this.#isSignedBy,
      yieldToEventLoop: this.#options.yieldToEventLoop,
    });
  }

  async shouldAccept({ digest, epoch, round }: RoundContext, attested: AttestedReport): Promise<boolean> {
    return this.#phase('should_accept', async () => {
      const entries = this.#decodeReport(attested.report);
      const isNewer = epoch > this.#newest.epoch || (epoch === this.#newest.epoch && round > this.#newest.round);
      if (entries === null || digest !== this.#options.config.digest || !isNewer) return ['failure', false];
      const { usable, refusals } = await this.#usable(entries, attested, 'should_accept');
      if (usable.length === 0) return [this.#whyNone('should_accept', refusals), false];
      if (usable.every(({ entry }) => this.#isPending(entry))) return ['failure', false];
      this.#newest = { epoch, round };
      const at = this.#options.clock.now();
      for (const { entry } of usable) {
        this.#accepted.set(strategyKey(entry.chainId, entry.strategy), { nonce: entry.nonce, pps: entry.pps, at });
      }
      return ['accept', true];
    });
  }

  async shouldTransmit(_context: RoundContext, attested: AttestedReport): Promise<readonly SignedPrice[]> {
    return this.#phase('should_transmit', async () => {
      const entries = this.#decodeReport(attested.report);
      if (entries === null) return ['failure', []];
      const { usable, refusals } = await this.#usable(entries, attested, 'should_transmit');
      const willing = usable.filter(({ entry, state }) => !this.#isHeld(entry, state));
      const prices: SignedPrice[] = [];
      for (const { entry, index } of willing) {
        const price = signedPrice(entry, index, attested.signatures, this.#options.config);
        if (await this.#chains.get(entry.chainId)?.takes(price)) prices.push(price);
        else this.#packError(entry, 'the contract does not take the signatures');
      }
      if (prices.length > 0) return ['transmit', prices];
      return [usable.length === 0 ? this.#whyNone('should_transmit', refusals) : 'failure', []];
    });
  }

  readonly #separator = (chainId: number) => this.#chains.get(chainId)?.separator() ?? null;

  async #observeAll(signal: AbortSignal): Promise<ChainObservation[]> {
    const { clock, config, chains } = this.#options;
    const deadline = new AbortController();
    const cancel = clock.after(config.timing.maxDurationObservation * OBSERVATION_SHARE, () => deadline.abort());
    try {
      const either = AbortSignal.any([signal, deadline.signal]);
      const observed = await Promise.all(chains.map((chain) => chain.observe(either)));
      return observed
        .flatMap((chain) => (chain === null || chain.entries.length === 0 ? [] : [chain]))
        .sort((a, b) => a.chainId - b.chainId);
    } finally {
      cancel();
    }
  }

  /** What no message can hold is left to the next rounds: the longest without a price come first. */
  #withinLimit(chains: readonly ChainObservation[]): ChainObservation[] {
    const all = chains.flatMap(({ chainId, entries }) => entries.map((entry) => ({ chainId, entry })));
    const kept = new Set(
      all
        .sort((a, b) => (a.entry.lastUpdate < b.entry.lastUpdate ? -1 : 1))
        .slice(0, this.#maxEntries)
        .map(({ entry }) => entry),
    );
    return chains
      .map((chain) => ({ ...chain, entries: chain.entries.filter((entry) => kept.has(entry)) }))
      .filter(({ entries }) => entries.length > 0);
  }

  #remember(chains: readonly ChainObservation[]): void {
    const at = this.#options.clock.now();
    for (const { chainId, entries } of chains) {
      for (const { strategy, pps, nonce } of entries) {
        this.#observed.set(strategyKey(chainId, strategy), { pps, at });
        this.#nonces.set(strategyKey(chainId, strategy), nonce);
      }
    }
  }

  #isListed(chainId: number, strategy: Address): boolean {
    return this.#options.config.pricing.strategies?.get(chainId)?.includes(strategy) ?? false;
  }

  #decode(bytes: Uint8Array): ChainObservation[] | null {
    const chains = codecNull(() => decodeObservation(bytes));
    if (chains === null) return null;
    const entries = chains.flatMap((chain) => chain.entries.map(({ strategy }) => [chain.chainId, strategy] as const));
    if (entries.length > this.#maxEntries) return null;
    const isOpen = this.#options.config.pricing.strategies === null;
    return isOpen || entries.every(([chainId, strategy]) => this.#isListed(chainId, strategy)) ? chains : null;
  }

  #decodeReport(bytes: Uint8Array): ReportEntry[] | null {
    return codecNull(() => decodeReport(bytes));
  }

  /** By entry, how this node's own view of the chains contradicts it or that it is missing; null for what may be signed. */
  async #refusalsOf(entries: readonly ReportEntry[]): Promise<(PhaseResult | null)[]> {
    const states = await this.#statesOf(entries);
    const oldest = this.#options.clock.now() - this.#options.settings.maxStaleSeconds * 1_000;
    return entries.map((entry) => {
      const { chainId, strategy, pps } = entry;
      const chain = states.get(chainId);
      const state = chain?.states.get(strategy);
      if (!chain || !state || this.#separator(chainId) === null) return 'error';
      this.#nonces.set(strategyKey(chainId, strategy), state.nonce);
      const observed = this.#observed.get(strategyKey(chainId, strategy));
      const own = observed && observed.at >= oldest ? observed.pps : undefined;
      const ppb = own === undefined ? null : deviationPpb(pps, own);
      if (ppb !== null) this.#options.emit({ type: 'pps_deviation', chainId, strategy, ppb });
      const reason = signRefusal(entry, { now: chain.timestamp, state, own }, this.#options.settings);
      if (reason === 'stale') this.#options.emit({ type: 'stale_report', phase: 'report' });
      if (reason === 'nonce_mismatch') this.#options.emit({ type: 'nonce_mismatch', chainId, strategy });
      if (reason === 'deviation') {
        this.#options.emit({ type: 'deviation_rejected', chainId, strategy, ppb: ppb ?? 0n });
      }
      return reason === 'future' ? 'failure' : reason;
    });
  }

  /** A chain whose nodes do not answer is left out. @throws when none answers. */
  async #statesOf(entries: readonly ReportEntry[]): Promise<Map<number, ChainStates>> {
    const chainIds = [...new Set(entries.map(({ chainId }) => chainId))];
    const read = await Promise.allSettled(
      chainIds.map(async (chainId) => {
        const chain = this.#chains.get(chainId);
        const strategies = entries.filter((entry) => entry.chainId === chainId).map(({ strategy }) => strategy);
        return chain ? ([[chainId, await chain.states(strategies)]] as const) : [];
      }),
    );
    const failed = read.find((each) => each.status === 'rejected');
    const answered = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    if (failed && answered.length === 0) throw failed.reason;
    return new Map(answered);
  }

  async #usable(
    entries: readonly ReportEntry[],
    { signatures }: AttestedReport,
    phase: 'should_accept' | 'should_transmit',
  ) {
    const states = await this.#statesOf(entries);
    const isWithheld = withheld(entries, signatures, this.#needed);
    const refusals = new Set<SendRefusal>();
    const usable: { entry: ReportEntry; index: number; state: StrategyState }[] = [];
    for (const [index, entry] of entries.entries()) {
      const chain = states.get(entry.chainId);
      const state = chain?.states.get(entry.strategy);
      if (!chain || !state || isWithheld[index]) continue;
      const refusal = sendRefusal(entry, chain.timestamp, state, this.#options.settings);
      if (refusal === null) usable.push({ entry, index, state });
      else refusals.add(refusal);
      // When it is due for transmission, a used nonce only says that another node was first.
      if (refusal === 'nonce_mismatch' && phase === 'should_accept') {
        this.#options.emit({ type: 'nonce_mismatch', chainId: entry.chainId, strategy: entry.strategy });
      }
    }
    return { usable, refusals };
  }

  #whyNone(phase: 'should_accept' | 'should_transmit', refusals: ReadonlySet<SendRefusal>): PhaseResult {
    if (refusals.has('stale')) {
      this.#options.emit({ type: 'stale_report', phase });
      return 'stale';
    }
    return refusals.has('nonce_mismatch') ? 'nonce_mismatch' : 'failure';
  }

  /** Whether a price for the same nonce is on its way and this one is no better: a second transaction would burn gas. */
  #isPending({ chainId, strategy, nonce, pps }: ReportEntry): boolean {
    const { clock, config } = this.#options;
    const pending = this.#accepted.get(strategyKey(chainId, strategy));
    const windowMs = config.timing.deltaStage * config.timing.stages.length;
    if (!pending || pending.nonce !== nonce || clock.now() - pending.at >= windowMs) return false;
    return deviationPpb(pps, pending.pps) < config.pricing.alphaReportPpb;
  }

  #isHeld(entry: ReportEntry, state: StrategyState): boolean {
    const { emit, settings } = this.#options;
    if (!tripsDeviation(entry.pps, state)) return false;
    const { chainId, strategy } = entry;
    emit({ type: 'deviation_trip', chainId, strategy, ppb: deviationPpb(entry.pps, state.lastPps) });
    if (settings.holdDeviating) emit({ type: 'held', chainId, strategy, reason: 'deviation' });
    return settings.holdDeviating;
  }

  #packError({ chainId, strategy }: ReportEntry, reason: string): void {
    this.#options.emit({ type: 'pack_error', chainId, strategy, reason });
  }

  #emitPhase(phase: PhaseName, result: PhaseResult, started: number): void {
    const seconds = (this.#options.clock.now() - started) / 1_000;
    this.#options.emit({ type: 'phase', phase, result, seconds });
  }

  async #phase<T>(phase: PhaseName, run: () => Promise<readonly [PhaseResult, T]>): Promise<T> {
    const started = this.#options.clock.now();
    try {
      const [result, value] = await run();
      this.#emitPhase(phase, result, started);
      return value;
    } catch (error) {
      this.#emitPhase(phase, 'error', started);
      throw error;
    }
  }
}

function codecNull<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof CodecError) return null;
    throw error;
  }
}
