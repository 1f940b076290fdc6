import type { Address, Hex } from 'viem';
import { keccak256, recoverAddress } from 'viem';
import { privateKeyToAddress, sign } from 'viem/accounts';
import { ensureGuard } from '../../../src/node/sign-guard.ts';
import type { ChainView, StrategyState } from '../../../src/plugin/chain-view.ts';
import type { PluginEvent } from '../../../src/plugin/events.ts';
import type { PriceEntry } from '../../../src/plugin/observation.ts';
import { PpsPlugin } from '../../../src/plugin/pps-plugin.ts';
import type {
  Clock,
  Evidence,
  NetworkConfig,
  Plugin,
  ProtocolEvent,
  ProtocolStore,
  SignedPrice,
  Transport,
} from '../../../src/ports.ts';
import { createOracle, type Oracle } from '../../../src/protocol/oracle.ts';
import { leaderSchedule } from '../../../src/protocol/order.ts';
import type { VerifyOffchain } from '../../../src/protocol/signing.ts';
import { createMemoryStore } from './memory-store.ts';
import { createNetwork, type Network } from './network.ts';
import { networkConfig } from './network-config.ts';
import { type Prng, prng } from './prng.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { type ToyKeys, toyKeys } from './toy-crypto.ts';

const genesis = 1_700_000_000n;
const separator: Hex = `0x${'5e'.repeat(32)}`;

/** A vault of the world. */
export type Vault = {
  strategy: Address;
  chainId: number;
  /** What a share is worth at a block time. */
  value: (seconds: number) => bigint;
  /** When its chain stops to make blocks. */
  haltsAt: number;
  /** Its chain can be observed, and what its contracts hold cannot be read. */
  isUnreadable: boolean;
};
export type Stored = { strategy: Address; at: number; pps: bigint };

export const vaultAt = (index: number, more: Partial<Vault> = {}): Vault => ({
  strategy: `0x${String(index).padStart(40, '0')}`,
  value: () => 1_000_000n,
  chainId: 31_337,
  haltsAt: Number.POSITIVE_INFINITY,
  isUnreadable: false,
  ...more,
});

export type Choices = {
  vaults: readonly Vault[];
  heartbeatSeconds?: number;
  blockSeconds?: number;
  /** Replaces parts of one node's plugin. */
  plugin?: (index: number, plugin: Plugin) => Plugin;
  timing?: NetworkConfig['timing'];
  /** 4 when left out. */
  n?: number;
  seed?: number;
  /** Off-chain keys; the cheap ones when left out. */
  keysOf?: (n: number) => ToyKeys;
  verifyOffchain?: VerifyOffchain;
  store?: (index: number, store: ProtocolStore) => ProtocolStore;
  /** What carries a node's messages; the network of the world when left out. */
  transport?: (index: number, honest: Transport, world: Pick<PriceWorld, 'config' | 'keys' | 'scheduler'>) => Transport;
  /** Called with each transmission. */
  onTransmit?: (index: number) => void;
};

export type Signed = { at: number; epoch: number; round: number; report: Uint8Array; signature: Uint8Array };

export type PriceWorld = {
  config: NetworkConfig;
  keys: ToyKeys;
  scheduler: Scheduler;
  network: Network;
  leaderOf(epoch: number): number;
  oracles: readonly Oracle[];
  stored: readonly Stored[];
  /** What each node keeps of others that sign twice. */
  evidenceOf(index: number): readonly Evidence[];
  /** What each node signed, in order. */
  signed: readonly Signed[][];
  /** Of each node. */
  events: readonly ProtocolEvent[][];
  pluginEvents: readonly PluginEvent[][];
  start(): Promise<void>;
  /** A power cut: nothing of the old process runs or speaks, and a new one begins with what is on disk. */
  restart(index: number): Promise<void>;
  /** The same with an empty store. @param setting - ocr2.empty_guard. */
  restartEmpty(index: number, setting: 'wait' | 'sign'): Promise<void>;
  pass(milliseconds: number): Promise<void>;
  /** Longest time without a price for a vault since the start, milliseconds. */
  worstGap(vault: Vault): number;
};

type Held = { nonce: bigint; lastPps: bigint; lastUpdate: bigint };

export const privateKeyOf = (index: number): Hex => `0x${(index + 1).toString(16).padStart(64, '0')}`;
export const priceSeparator = separator;

/** What the contracts hold, with the one rule that matters here: a nonce is used once, by a newer price. */
function createLedger(vaults: readonly Vault[], now: () => number, stored: Stored[]) {
  const held = new Map<string, Held>(
    vaults.map(({ strategy }) => [strategy, { nonce: 0n, lastPps: 0n, lastUpdate: 0n }]),
  );
  return {
    of: (strategy: string) => held.get(strategy) as Held,
    store: ({ strategy, nonce, pps, timestamp }: SignedPrice) => {
      const before = held.get(strategy.toLowerCase());
      const vault = vaults.find((each) => each.strategy === strategy.toLowerCase());
      if (!before || !vault || now() >= vault.haltsAt * 1000) return;
      if (nonce !== before.nonce || timestamp <= before.lastUpdate) return;
      held.set(strategy.toLowerCase(), { nonce: nonce + 1n, lastPps: pps, lastUpdate: timestamp });
      stored.push({ strategy: strategy.toLowerCase() as Address, at: now(), pps });
    },
  };
}

type Ledger = ReturnType<typeof createLedger>;

/** One node's view of one chain. */
function viewOf(chainId: number, all: readonly Vault[], ledger: Ledger, headSeconds: () => number): ChainView {
  const vaults = all.filter((vault) => vault.chainId === chainId);
  const timeOf = ({ haltsAt }: Vault) => Math.min(headSeconds(), haltsAt);
  const facts = (strategy: string) => ({
    ...ledger.of(strategy),
    lastUnpause: 0n,
    minInterval: 1n,
    deviationThreshold: 10n ** 18n,
    paused: false,
    stale: false,
  });
  const chainTime = () => genesis + BigInt(Math.min(...vaults.map(timeOf)));
  return {
    chainId,
    separator: () => separator,
    observe: async () => ({
      chainId,
      blockNumber: BigInt(headSeconds()),
      blockHash: separator,
      timestamp: chainTime(),
      entries: vaults.map(
        (vault): PriceEntry => ({
          ...facts(vault.strategy),
          strategy: vault.strategy,
          pps: vault.value(timeOf(vault)),
          upkeepShort: false,
        }),
      ),
    }),
    states: async (strategies) => {
      if (vaults.some(({ isUnreadable }) => isUnreadable)) throw new Error('No node of the chain answers.');
      const entry = (strategy: string): [string, StrategyState] => [
        strategy,
        { ...facts(strategy), maxStaleness: 10_000n },
      ];
      return { timestamp: chainTime(), states: new Map(strategies.map(entry)) };
    },
    takes: async () => true,
  };
}

type Shared = {
  choices: Choices;
  config: NetworkConfig;
  keys: ToyKeys;
  scheduler: Scheduler;
  network: Network;
  ledger: Ledger;
  events: ProtocolEvent[][];
  pluginEvents: PluginEvent[][];
  signed: Signed[][];
};

/** What one process has to itself: after its end its clock and its connection do nothing. */
type Life = { isAlive: boolean };

function pluginOf(
  { choices, config, scheduler, ledger, pluginEvents, signed }: Shared,
  index: number,
  clock: Clock,
): Plugin {
  const { vaults, blockSeconds = 2 } = choices;
  // Half of the nodes are always one block behind.
  const behind = index % 2;
  const headSeconds = () => Math.max(0, Math.floor(scheduler.now() / (blockSeconds * 1000)) - behind) * blockSeconds;
  const chainIds = [...new Set(vaults.map(({ chainId }) => chainId))];
  const plugin = new PpsPlugin({
    config,
    clock,
    yieldToEventLoop: async () => undefined,
    chains: chainIds.map((chainId) => viewOf(chainId, vaults, ledger, headSeconds)),
    keyring: {
      address: config.oracles[index]?.signer as Address,
      signKeccak256: (message) => sign({ hash: keccak256(message), privateKey: privateKeyOf(index), to: 'hex' }),
    },
    settings: {
      maxStaleSeconds: 300,
      maxDeviationPpb: 10_000_000n,
      futureToleranceSeconds: 30,
      holdDeviating: false,
    },
    emit: (event) => pluginEvents[index]?.push(event),
  });
  const bound = boundTo(plugin);
  const used = choices.plugin?.(index, bound) ?? bound;
  return {
    ...used,
    sign: async (context, report, maySign) => {
      const signature = await used.sign(context, report, maySign);
      const { epoch, round } = context;
      if (signature) signed[index]?.push({ at: scheduler.now(), epoch, round, report, signature });
      return signature;
    },
  };
}

function transportOf({ network, config }: Shared, index: number, life: Life): Transport {
  let detach = () => undefined as unknown;
  const send = (to: number, message: Uint8Array) => {
    if (life.isAlive) network.send(index, to, message);
  };
  return {
    start: (handler) => {
      detach = network.attach(index, (from, message) => life.isAlive && handler(from, message));
    },
    send,
    broadcast: (message) => {
      for (let to = 0; to < config.oracles.length; to += 1) if (to !== index) send(to, message);
    },
    close: async () => void detach(),
  };
}

function oracleOf(shared: Shared, index: number, store: ProtocolStore, life: Life): Oracle {
  const { choices, config, keys, scheduler, ledger, events } = shared;
  const honest = transportOf(shared, index, life);
  const clock: Clock = {
    now: () => scheduler.now(),
    after: (milliseconds, run) => scheduler.after(milliseconds, () => life.isAlive && run()),
  };
  return createOracle({
    config,
    index,
    clock,
    random: { u32: () => 0 },
    store: choices.store?.(index, store) ?? store,
    plugin: pluginOf(shared, index, clock),
    keyring: keys.keyring(index),
    verifyOffchain: choices.verifyOffchain ?? keys.verifyOffchain,
    observer: (event) => events[index]?.push(event),
    transport: choices.transport?.(index, honest, shared) ?? honest,
    transmitter: {
      submit: async (_key, prices) => {
        choices.onTransmit?.(index);
        scheduler.after(300, () => prices.forEach(ledger.store));
      },
    },
  });
}

/** The configuration of a world of these choices. */
export function priceConfig(choices: Omit<Choices, 'vaults'>): { config: NetworkConfig; keys: ToyKeys; random: Prng } {
  const { n = 4, seed = 7, keysOf = toyKeys, heartbeatSeconds = 10 } = choices;
  const random = prng(seed);
  const keys = keysOf(n);
  const base = networkConfig(n, Math.floor((n - 1) / 3), keys, random.bytes(16), choices.timing);
  const config: NetworkConfig = {
    ...base,
    oracles: base.oracles.map((oracle, i) => ({ ...oracle, signer: privateKeyToAddress(privateKeyOf(i)) })),
    pricing: { heartbeatSeconds, alphaReportPpb: 1_000_000n, strategies: null },
  };
  return { config, keys, random };
}

/** What a node that has lost its store reads of the chains, to begin its guard with. */
const pricesSoFar = (vaults: readonly Vault[], ledger: Ledger, now: () => number) => async () => ({
  chainId: 31_337,
  headSeconds: genesis + BigInt(Math.floor(now() / 1000)),
  nonces: vaults.map(({ strategy }) => ({ strategy, nonce: ledger.of(strategy).nonce })),
});

/** Oracles with the real plugin and the real guard on virtual time; chains, bus and transmissions are played. */
export function createPriceWorld(choices: Choices): PriceWorld {
  const { vaults } = choices;
  const scheduler = createScheduler();
  const { config, keys, random } = priceConfig(choices);
  const network = createNetwork(scheduler, random.fork('network'), () => undefined);
  const stored: Stored[] = [];
  const events = config.oracles.map((): ProtocolEvent[] => []);
  const pluginEvents = config.oracles.map((): PluginEvent[] => []);
  const signed = config.oracles.map((): Signed[] => []);
  const ledger = createLedger(vaults, () => scheduler.now(), stored);
  const shared: Shared = { choices, config, keys, scheduler, network, ledger, events, pluginEvents, signed };
  const stores = config.oracles.map(() => createMemoryStore());
  const lives = config.oracles.map((): Life => ({ isAlive: true }));
  const make = (index: number) => oracleOf(shared, index, stores[index] as ProtocolStore, lives[index] as Life);
  const oracles = config.oracles.map((_, index) => make(index));
  const restart = async (index: number) => {
    (lives[index] as Life).isAlive = false;
    lives[index] = { isAlive: true };
    const oracle = make(index);
    oracles[index] = oracle;
    await oracle.start();
  };
  return {
    config,
    keys,
    scheduler,
    network,
    oracles,
    stored,
    events,
    pluginEvents,
    signed,
    leaderOf: leaderSchedule(config),
    evidenceOf: (index) => stores[index]?.evidence ?? [],
    start: async () => {
      await warmUp();
      await Promise.all(oracles.map((oracle) => oracle.start()));
    },
    restart,
    restartEmpty: async (index, setting) => {
      await ensureGuard('member', {
        setting,
        futureToleranceSeconds: 0,
        signer: config.oracles[index]?.signer as Address,
        store: {
          hasGuard: async () => false,
          beginGuard: async (first) => {
            stores[index] = createMemoryStore(first);
          },
        },
        chains: [{ pricesSoFar: pricesSoFar(vaults, ledger, scheduler.now) }],
      });
      await restart(index);
    },
    pass: async (milliseconds) => {
      const end = scheduler.now() + milliseconds;
      let over = false;
      scheduler.after(milliseconds, () => {
        over = true;
      });
      await scheduler.run({ until: () => over, before: end });
    },
    worstGap: ({ strategy }) => {
      const times = [0, ...stored.filter((price) => price.strategy === strategy).map(({ at }) => at), scheduler.now()];
      return Math.max(...times.slice(1).map((at, i) => at - (times[i] as number)));
    },
  };
}

/** Its methods as properties, so that a test can replace some. */
const boundTo = (plugin: PpsPlugin): Plugin => ({
  limits: plugin.limits,
  query: () => plugin.query(),
  observation: (context, query) => plugin.observation(context, query),
  validateObservation: (query, observation) => plugin.validateObservation(query, observation),
  due: (observation) => plugin.due(observation),
  report: (query, observations) => plugin.report(query, observations),
  prices: (report) => plugin.prices(report),
  commitments: (report) => plugin.commitments(report),
  sign: (context, report, maySign) => plugin.sign(context, report, maySign),
  signedEntries: (report, signature) => plugin.signedEntries(report, signature),
  verify: (report, signature, signer) => plugin.verify(report, signature, signer),
  shouldAccept: (context, report) => plugin.shouldAccept(context, report),
  shouldTransmit: (context, report) => plugin.shouldTransmit(context, report),
});

/** The first recovery loads its code from disk, which virtual time would not wait for. */
async function warmUp(): Promise<void> {
  const hash: Hex = `0x${'01'.repeat(32)}`;
  const signature = await sign({ hash, privateKey: privateKeyOf(0), to: 'hex' });
  await recoverAddress({ hash, signature });
}
