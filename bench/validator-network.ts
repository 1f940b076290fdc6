import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import { keysOf, type NodeKeys } from '../services/validator-node/src/keys/bundle.ts';
import { yieldToEventLoop } from '../services/validator-node/src/node/system.ts';
import type { ChainView } from '../services/validator-node/src/plugin/chain-view.ts';
import { PpsPlugin } from '../services/validator-node/src/plugin/pps-plugin.ts';
import { anEntry, blockHash, strategyAt } from '../services/validator-node/src/plugin/pure.fixture.ts';
import type { NetworkConfig, ProtocolEvent, ProtocolStore } from '../services/validator-node/src/ports.ts';
import { maxMessageBytes } from '../services/validator-node/src/protocol/messages.ts';
import { createOracle, type Oracle } from '../services/validator-node/src/protocol/oracle.ts';
import type { ValidatorBus } from '../services/validator-node/src/transport/bus.ts';
import { createNatsTransport } from '../services/validator-node/src/transport/nats-transport.ts';

/** A whole network in one process: real protocol, plugin, keys and envelopes; chain, store and bus from memory. */

const second = 1_000;
/** A wait of its own length, so that it can be recognised and cut short. */
const deltaRound = 301 * second;
const chainId = 31_337;
const now = 1_200n;

const secret = (what: string) => new Uint8Array(createHash('sha256').update(`bench ${what}`).digest());
const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;

export const nodeKeys = (nodes: number): Promise<NodeKeys[]> =>
  Promise.all(
    Array.from({ length: nodes }, (_, i) =>
      keysOf({
        offchain: secret(`offchain ${i}`),
        onchain: secret(`onchain ${i}`),
        transmitter: secret(`sender ${i}`),
      }),
    ),
  );

/** Waits are long enough that nothing is ever given up: what is measured is work. No grace, which a round would only wait for. */
function configOf(keys: readonly NodeKeys[]): NetworkConfig {
  const n = keys.length;
  const f = Math.floor((n - 1) / 3);
  return {
    digest: hex(secret('digest')),
    version: 1n,
    chainId,
    f,
    seed: secret('seed'),
    quorum: Math.floor((n + f) / 2) + 1,
    oracles: keys.map(({ onchain, transmitter, offchain, encryption }) => ({
      signer: onchain.address,
      transmitter: transmitter.address,
      offchainKey: hex(offchain.publicKey),
      encryptionKey: hex(encryption.publicKey),
    })),
    timing: {
      deltaProgress: 900 * second,
      deltaResend: 300 * second,
      deltaInitial: 600 * second,
      deltaRound,
      deltaGrace: 0,
      deltaStage: 900 * second,
      rMax: 20,
      stages: [1, n - 1],
      maxDurationQuery: second,
      maxDurationObservation: 60 * second,
      maxDurationReport: 240 * second,
      maxDurationShouldAccept: 60 * second,
      maxDurationShouldTransmit: 60 * second,
    },
    pricing: { heartbeatSeconds: 60, alphaReportPpb: 1_000_000n, strategies: null },
  };
}

function chainOf(strategies: number): ChainView {
  const entries = Array.from({ length: strategies }, (_, i) => anEntry({ strategy: strategyAt(i + 1) }));
  const states = new Map(
    entries.map((entry) => [entry.strategy as string, { ...entry, maxStaleness: 86_400n }] as const),
  );
  return {
    chainId,
    separator: () => hex(secret('domain')),
    observe: async () => ({ chainId, blockNumber: 50n, blockHash, timestamp: now - 10n, entries }),
    states: async () => ({ timestamp: now, states }),
    takes: async () => true,
  };
}

type Heard = (error: null, message: { subject: string; data: Uint8Array }) => void;
export type Traffic = { messages: number; bytes: number };

/** Delivers in order, at the next turn of the loop, and counts what is published. */
function memoryBus(traffic: Traffic) {
  const all: { owner: number; from: string; target: string; heard: Heard }[] = [];
  const busOf = (owner: number): ValidatorBus => {
    const nats = {
      subscribe: (subject: string, { callback: heard }: { callback: Heard }) => {
        const parts = subject.split('.');
        all.push({ owner, from: parts.slice(0, -2).join('.'), target: parts.at(-1) as string, heard });
        return { unsubscribe: () => undefined };
      },
      publish: (subject: string, data: Uint8Array) => {
        traffic.messages += 1;
        traffic.bytes += data.length;
        const target = subject.split('.').at(-1);
        for (const each of all)
          if (each.target === target && each.owner !== owner) setImmediate(() => each.heard(null, { subject, data }));
      },
    };
    return {
      nats: nats as unknown as ValidatorBus['nats'],
      isConnected: () => true,
      onState: () => undefined,
      close: async () => undefined,
    };
  };
  return busOf;
}

const memoryStore = (): ProtocolStore => ({
  readPacemaker: async () => null,
  writePacemaker: async () => undefined,
  guardSignature: async () => 'ok',
  isRecovering: async () => false,
  endRecovery: async () => undefined,
  addEvidence: async () => undefined,
  addPending: async () => undefined,
  pendings: async () => [],
  removePending: async () => undefined,
});

export type RoundFigures = Traffic & { milliseconds: number; cpuMs: number };

/**
 * Rounds of one network, each from its start at the leader until every node holds the signed report. The first one, in which nodes
 * meet each other's keys, is left out. @throws when a round ends without a report.
 */
export async function playRounds(
  keys: readonly NodeKeys[],
  strategies: number,
  rounds: number,
): Promise<RoundFigures[]> {
  const config = configOf(keys);
  const traffic: Traffic = { messages: 0, bytes: 0 };
  const busOf = memoryBus(traffic);
  const next: (() => void)[] = [];
  let over = Promise.withResolvers<void>();
  let finished = 0;
  let started = { at: 0, cpu: process.cpuUsage() };
  const observer = (index: number) => (event: ProtocolEvent) => {
    if (event.type === 'round_started' && event.leader === index) {
      Object.assign(traffic, { messages: 0, bytes: 0 });
      started = { at: performance.now(), cpu: process.cpuUsage() };
    }
    if (event.type === 'fault') over.reject(event.error);
    if (event.type !== 'round_completed') return;
    if (event.entries.length !== strategies) over.reject(new Error(`${event.entries.length} prices of ${strategies}`));
    finished += 1;
    if (finished % keys.length === 0) over.resolve();
  };
  const oracles = keys.map((own, index) =>
    oracleOf(config, {
      keys: own,
      index,
      chain: chainOf(strategies),
      bus: busOf(index),
      next,
      observer: observer(index),
    }),
  );
  await Promise.all(oracles.map((oracle) => oracle.start()));
  const figures: RoundFigures[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    await over.promise;
    const { user, system } = process.cpuUsage(started.cpu);
    const milliseconds = performance.now() - started.at;
    // Echoes that are still on their way belong to this round.
    await new Promise((resolve) => setTimeout(resolve, 300));
    figures.push({ ...traffic, milliseconds, cpuMs: (user + system) / 1_000 });
    over = Promise.withResolvers();
    for (const run of next.splice(0)) run();
  }
  await Promise.all(oracles.map((oracle) => oracle.stop()));
  return figures.slice(1);
}

type Node = {
  keys: NodeKeys;
  index: number;
  chain: ChainView;
  bus: ValidatorBus;
  /** Takes what begins the next round. */
  next: (() => void)[];
  observer: (event: ProtocolEvent) => void;
};

function oracleOf(config: NetworkConfig, { keys, index, chain, bus, next, observer }: Node): Oracle {
  const clock = {
    now: () => performance.now(),
    after: (milliseconds: number, run: () => void) => {
      if (milliseconds === deltaRound) {
        next.push(run);
        return () => undefined;
      }
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  };
  const settings = { maxStaleSeconds: 300, maxDeviationPpb: null, futureToleranceSeconds: 30, holdDeviating: false };
  const plugin = new PpsPlugin({
    yieldToEventLoop,
    config,
    chains: [chain],
    keyring: keys.onchain,
    clock,
    settings,
    emit: () => undefined,
  });
  const transport = createNatsTransport({
    bus,
    network: 'bench',
    digest: config.digest,
    index,
    keyring: keys.offchain,
    now: clock.now,
    offchainKeys: config.oracles.map(({ offchainKey }) => offchainKey),
    session: { number: 1n, nonce: 1n },
    maxBodyBytes: maxMessageBytes({ oracles: config.oracles.length, ...plugin.limits }),
    rate: { perSecond: 10_000, burst: 10_000 },
    onMessage: () => undefined,
  });
  return createOracle({
    config,
    index,
    clock,
    random: { u32: () => 0 },
    transport,
    store: memoryStore(),
    plugin,
    observer,
    keyring: keys.offchain,
    transmitter: { submit: async () => undefined },
  });
}
