import {
  newRange,
  type RangeState,
  readHeader,
  readLogs,
  resolveContracts,
  type StoredBlock,
  superGovernorAbi,
  type ValidatorConfigFacts,
  validatorConfigDigest,
} from '@castellan/chain';
import {
  type Address,
  decodeAbiParameters,
  getAbiItem,
  type Hash,
  type Hex,
  type PublicClient,
  toEventSelector,
} from 'viem';
import type { Clock, NetworkConfig } from '../ports.ts';
import { DueLogs } from './due-logs.ts';
import { NetworkConfigError, networkConfig, type OwnIdentity, ownIndex, withSharedSecret } from './network-config.ts';
import { pollLoop } from './poll-loop.ts';
import type { Head } from './shared-head.ts';

/** A configuration as the chain has it, and the block of it. */
export type ConfigRecord = { facts: ValidatorConfigFacts; block: StoredBlock };

/** What survives a restart: how far the chain was read, and the configurations it holds, oldest first. */
export type TrackerState = { cursor: StoredBlock | null; history: readonly ConfigRecord[] };

export type ConfigStore = { read(): Promise<TrackerState | null>; write(state: TrackerState): Promise<void> };

/** What this node runs. `outsider`: its signer is not listed. `refused`: nothing can be run, for the reason given. */
export type Running =
  | { kind: 'member'; config: NetworkConfig; index: number }
  | { kind: 'outsider'; config: NetworkConfig }
  | { kind: 'refused'; digest: Hex; reason: string };

export type ConfigEvent =
  | { type: 'config_active'; version: bigint; digest: Hex; oracles: number; f: number; fromStore: boolean }
  | { type: 'config_warning'; version: bigint; message: string }
  | { type: 'config_refused'; reason: 'version_not_increasing' | 'invalid' | 'contradicted'; message: string }
  | { type: 'config_reorged'; version: bigint }
  | { type: 'not_listed'; version: bigint; signer: Address }
  | { type: 'poll_failed'; error: unknown };

export type ConfigTrackerOptions = {
  chainId: number;
  governor: Address;
  /** null: the governor's active one. */
  oracle: Address | null;
  client: PublicClient;
  head: () => Promise<Head>;
  /** A second RPC that must confirm a new configuration; null when there is none. */
  witness: PublicClient | null;
  startBlock: bigint;
  confirmations: bigint;
  pollMs: number;
  own: OwnIdentity;
  /** X25519 of this node's encryption key. */
  dh: (point: Uint8Array) => Promise<Uint8Array>;
  store: ConfigStore;
  clock: Clock;
  /** Ends what runs, waits for its end, and runs this instead. */
  onSwitch: (running: Running) => Promise<void>;
  emit: (event: ConfigEvent) => void;
};

/** While a change waits for its confirmations, it is looked for at least this often. */
const HURRY_MS = 15_000;
/** Blocks after which the cursor is stored again. */
const STORE_BLOCKS = 64n;
/** Former configurations kept for the case that the chain takes the newest back. */
const KEEP = 8;

const event = getAbiItem({ abi: superGovernorAbi, name: 'ValidatorConfigSet' });
const topic: Hex = toEventSelector(event);

/** Follows the governor's configuration of the validators on the home chain. */
export class ConfigTracker {
  readonly #options: ConfigTrackerOptions;
  readonly #loop: ReturnType<typeof pollLoop>;
  #state: TrackerState = { cursor: null, history: [] };
  #running: Hex | null = null;
  #range: RangeState = newRange();
  readonly #refused = new Set<string>();
  readonly #due: DueLogs;

  constructor(options: ConfigTrackerOptions) {
    this.#options = options;
    this.#due = new DueLogs([options.governor], options.clock);
    this.#loop = pollLoop({ clock: options.clock, run: () => this.#tick() });
  }

  /** Runs the last known configuration first, whether or not a chain answers, and follows the chain from then on. */
  async start(): Promise<void> {
    const stored = await this.#options.store.read();
    if (stored) this.#state = stored;
    const last = this.#state.history.at(-1);
    if (last) await this.#run(last.facts, true);
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** The head up to which all was read, when nothing has to be looked at before the next block. */
  #settledHead: Hash | null = null;
  /** What the store holds. */
  #stored: TrackerState | null = null;

  /** Reads what the chain has confirmed and switches when it says so. @returns whether something waits for confirmations. */
  async poll(): Promise<boolean> {
    const { confirmations } = this.#options;
    const newest = await this.#options.head();
    const { number: head, hash } = newest;
    // A change of the active oracle is an event of the governor, too.
    if (!this.#due.isDue(newest, this.#range)) return false;
    // The same block has the same past: what it holds was read, and what it confirms was adopted.
    if (hash === this.#settledHead) return false;
    this.#settledHead = null;
    const target = head - confirmations + 1n;
    const state = await this.#canonical(this.#state, target);
    if (state === null) return true;
    const read = await this.#read(state, target);
    const isAdopted = await this.#adopt(read, target);
    if (isAdopted && (read.cursor?.number ?? -1n) >= target) {
      this.#settledHead = hash;
      this.#due.read(target);
    }
    return false;
  }

  async #tick(): Promise<number> {
    const { pollMs, emit } = this.#options;
    try {
      return (await this.poll()) ? Math.min(HURRY_MS, pollMs) : pollMs;
    } catch (error) {
      emit({ type: 'poll_failed', error });
      return pollMs;
    }
  }

  /**
   * The state without what the chain took back; null while that is not certain: until the new chain is as deep as the
   * configuration was, its node may only be behind.
   */
  async #canonical(state: TrackerState, target: bigint): Promise<TrackerState | null> {
    // Its hash stands for all blocks below it.
    if (state.cursor && state.cursor.number <= target && (await this.#isOnChain(state.cursor))) return state;
    const history = [...state.history];
    for (let last = history.at(-1); last; last = history.at(-1)) {
      if (last.block.number > target) return null;
      if (await this.#isOnChain(last.block)) break;
      history.pop();
      this.#options.emit({ type: 'config_reorged', version: last.facts.version });
    }
    const { cursor } = state;
    const last = history.at(-1)?.block ?? null;
    if (history.length < state.history.length) return { cursor: last, history };
    if (cursor === null || cursor.number > target) return state;
    return { cursor: last, history };
  }

  async #isOnChain({ number, hash }: StoredBlock): Promise<boolean> {
    return (await readHeader(this.#options.client, number))?.hash === hash;
  }

  async #read(state: TrackerState, target: bigint): Promise<TrackerState> {
    const { client, governor, startBlock } = this.#options;
    let { cursor, history } = state;
    let from = cursor === null ? startBlock : cursor.number + 1n;
    while (from <= target) {
      const parent = cursor === null ? {} : { expectedParent: cursor.hash };
      const chunk = await readLogs({
        client,
        addresses: [governor],
        fromBlock: from,
        toBlock: target,
        range: this.#range,
        ...parent,
      });
      // The next poll finds what is left of the chain that was read.
      if (chunk.kind === 'reorg') return { cursor, history };
      this.#range = chunk.range;
      for (const log of chunk.logs) {
        if (log.topics[0] !== topic) continue;
        history = await this.#withConfig(history, log);
      }
      cursor = { number: chunk.end.number, hash: chunk.end.hash };
      from = chunk.toBlock + 1n;
    }
    return { cursor, history };
  }

  async #withConfig(
    history: readonly ConfigRecord[],
    log: { data: Hex; blockNumber: bigint; blockHash: Hex },
  ): Promise<readonly ConfigRecord[]> {
    const { chainId, governor } = this.#options;
    const { version, validators, publicKeys, quorum, offchainConfig } = configOf(log.data);
    const last = history.at(-1)?.facts.version ?? 0n;
    if (version <= last) {
      const message = `Version ${version} of the configuration does not follow on ${last}.`;
      this.#options.emit({ type: 'config_refused', reason: 'version_not_increasing', message });
      return history;
    }
    const oracle = await this.#oracleNow();
    const facts = { chainId, governor, oracle, version, validators, publicKeys, quorum, offchainConfig };
    return [...history, { facts, block: { number: log.blockNumber, hash: log.blockHash } }].slice(-KEEP);
  }

  async #oracleNow(client = this.#options.client): Promise<Address> {
    const { governor, oracle } = this.#options;
    return (await resolveContracts(client, { governor, aggregator: governor, ppsOracle: oracle })).ppsOracle;
  }

  /** Switches to the newest configuration that can be run, and only then keeps what was read. */
  async #adopt(read: TrackerState, target: bigint): Promise<boolean> {
    const state = await this.#withOracle(read);
    const record = this.#newestValid(state.history);
    if (record !== undefined && validatorConfigDigest(record.facts) !== this.#running) {
      const contradiction = await this.#contradiction(record, target);
      if (contradiction !== null) {
        // What was read is not kept: the next poll reads it again, from the endpoint that answers then.
        this.#refuse('contradicted', contradiction);
        return false;
      }
      await this.#run(record.facts, false);
    }
    this.#state = state;
    if (this.#isWorthStoring(state)) {
      await this.#options.store.write(state);
      this.#stored = state;
    }
    return true;
  }

  /** A cursor that is a little behind costs the next start a few blocks, and is not written with each block. */
  #isWorthStoring({ cursor, history }: TrackerState): boolean {
    const stored = this.#stored;
    if (stored === null || stored.cursor === null || cursor === null) return true;
    const isSame =
      history.length === stored.history.length &&
      history.every(({ facts, block }, index) => {
        const before = stored.history[index];
        return before?.block.hash === block.hash && before.facts.oracle === facts.oracle;
      });
    return !isSame || cursor.number < stored.cursor.number || cursor.number - stored.cursor.number >= STORE_BLOCKS;
  }

  /** Another active oracle makes another domain of the same configuration. */
  async #withOracle({ cursor, history }: TrackerState): Promise<TrackerState> {
    const last = history.at(-1);
    if (last === undefined) return { cursor, history };
    const facts = { ...last.facts, oracle: await this.#oracleNow() };
    return { cursor, history: [...history.slice(0, -1), { ...last, facts }] };
  }

  #newestValid(history: readonly ConfigRecord[]): ConfigRecord | undefined {
    for (const record of [...history].reverse()) {
      try {
        networkConfig(record.facts);
        return record;
      } catch (error) {
        if (!(error instanceof NetworkConfigError)) throw error;
        this.#refuse('invalid', `Version ${record.facts.version} of the configuration: ${error.message}`);
      }
    }
    return undefined;
  }

  /** Logs of one RPC are not enough: the governor's own state, and a second RPC, must say the same. */
  async #contradiction({ facts, block }: ConfigRecord, target: bigint): Promise<string | null> {
    const { client, witness, governor } = this.#options;
    const [version, validators, publicKeys, quorum] = await client.readContract({
      address: governor,
      abi: superGovernorAbi,
      blockNumber: target,
      functionName: 'getValidatorConfig',
    });
    if (version > facts.version) return `The governor has version ${version}, and its logs end with ${facts.version}.`;
    const logged = JSON.stringify([facts.validators, facts.publicKeys, String(facts.quorum)]);
    if (version === facts.version && JSON.stringify([validators, publicKeys, String(quorum)]) !== logged) {
      return `The governor's state of version ${version} is not what its log says.`;
    }
    if (witness === null) return null;
    const oracle = await this.#oracleNow(witness);
    return this.#difference(await this.#seenBy(witness, { facts, block }), { ...facts, oracle }, { facts, block });
  }

  /** What this RPC's log says of the version, in this very block; undefined when it has none. */
  async #seenBy(witness: PublicClient, { facts, block }: ConfigRecord) {
    const { number, hash } = block;
    const addresses = [this.#options.governor];
    const chunk = await readLogs({ client: witness, addresses, fromBlock: number, toBlock: number });
    const logs = chunk.kind === 'logs' ? chunk.logs : [];
    return logs
      .filter(({ topics, blockHash }) => topics[0] === topic && blockHash === hash)
      .map(({ data }) => configOf(data))
      .find(({ version }) => version === facts.version);
  }

  /** All that a configuration consists of, and the oracle that it is signed for. */
  #difference(
    seen: ReturnType<typeof configOf> | undefined,
    { oracle }: Pick<ValidatorConfigFacts, 'oracle'>,
    { facts, block }: ConfigRecord,
  ): string | null {
    if (seen === undefined) return `The second RPC does not have version ${facts.version} in block ${block.number}.`;
    const witnessed: ValidatorConfigFacts = { ...facts, ...seen, oracle };
    const textOf = (value: unknown) =>
      JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? `${part}` : part));
    const names = Object.keys(facts) as (keyof ValidatorConfigFacts)[];
    const differing = names.filter((name) => textOf(witnessed[name]) !== textOf(facts[name]));
    if (differing.length === 0) return null;
    return `The second RPC has other ${differing.join(', ')} of version ${facts.version} in block ${block.number}.`;
  }

  #refuse(reason: 'invalid' | 'contradicted', message: string): void {
    // The same faults are found by every poll, one for each version that is kept; each is reported once.
    if (this.#refused.has(message)) return;
    if (this.#refused.size > KEEP) this.#refused.clear();
    this.#refused.add(message);
    this.#options.emit({ type: 'config_refused', reason, message });
  }

  async #run(facts: ValidatorConfigFacts, fromStore: boolean): Promise<void> {
    const { emit, onSwitch } = this.#options;
    const { running, warnings } = await this.#prepare(facts);
    const digest = running.kind === 'refused' ? running.digest : running.config.digest;
    await onSwitch(running);
    this.#running = digest;
    if (running.kind === 'refused') {
      this.#refuse('invalid', running.reason);
      return;
    }
    const { version, f, oracles } = running.config;
    emit({ type: 'config_active', version, digest, oracles: oracles.length, f, fromStore });
    for (const message of warnings) emit({ type: 'config_warning', version, message });
    if (running.kind === 'outsider') emit({ type: 'not_listed', version, signer: this.#options.own.signer });
  }

  async #prepare(facts: ValidatorConfigFacts): Promise<{ running: Running; warnings: string[] }> {
    const { own, dh } = this.#options;
    try {
      const checked = networkConfig(facts);
      const { config, warnings } = checked;
      const index = ownIndex(config, own);
      if (index === null) return { running: { kind: 'outsider', config }, warnings };
      return { running: { kind: 'member', config: await withSharedSecret(checked, index, dh), index }, warnings };
    } catch (error) {
      if (!(error instanceof NetworkConfigError)) throw error;
      return {
        running: { kind: 'refused', digest: validatorConfigDigest(facts), reason: error.message },
        warnings: [],
      };
    }
  }
}

/** What one `ValidatorConfigSet` says; none of it is indexed. */
function configOf(data: Hex) {
  const [version, validators, publicKeys, quorum, offchainConfig] = decodeAbiParameters(event.inputs, data);
  return { version, validators, publicKeys, quorum, offchainConfig };
}
