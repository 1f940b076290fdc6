import type {
  AttestedReport,
  GuardVerdict,
  Plugin,
  ProtocolEvent,
  ProtocolStore,
  SignedPrice,
} from '../../../src/ports.ts';
import { decodeMessage, encodeMessage, type Message, type SignedObservation } from '../../../src/protocol/messages.ts';
import { createOracle, type Oracle } from '../../../src/protocol/oracle.ts';
import { leaderSchedule } from '../../../src/protocol/order.ts';
import { attestationMessage, inputsHash, observationMessage } from '../../../src/protocol/signing.ts';
import { createDiskStore, type Disk, emptyDisk } from './disk.ts';
import { networkConfig } from './network-config.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { toyKeys } from './toy-crypto.ts';

const n = 4;
const f = 1;
export const keys = toyKeys(n);
export const config = networkConfig(n, f, keys, new Uint8Array(16));
export const leaderOf = leaderSchedule(config);
const limits = { query: 8, observation: 8, report: 8, signature: 8 };
export const observation = Uint8Array.of(1, 2, 3);
export const price: SignedPrice = {
  chainId: 1,
  strategy: '0x0000000000000000000000000000000000000001',
  nonce: 1n,
  timestamp: 5n,
  pps: 7n,
  signatures: [],
  signers: [],
};

type Changes = {
  index: number;
  disk?: Disk;
  /** Instead of one on the disk. */
  store?: ProtocolStore;
  scheduler?: Scheduler;
  plugin?: Partial<Plugin>;
  submit?: (key: string) => Promise<void>;
  guard?: () => Promise<GuardVerdict>;
  sign?: (message: Uint8Array) => Promise<Uint8Array>;
  writes?: () => Promise<void>;
  reads?: () => Promise<void>;
};

export type Single = {
  oracle: Oracle;
  disk: Disk;
  scheduler: Scheduler;
  events: ProtocolEvent[];
  sent: { to: number | 'all'; message: Message }[];
  submitted: string[];
  hear(from: number, message: Message | Uint8Array): void;
  /** Lets this much time pass. */
  pass(milliseconds: number): Promise<void>;
  sentOf<K extends Message['kind']>(kind: K): Extract<Message, { kind: K }>[];
  /** What became of the messages of this kind. */
  results(kind: string): string[];
};

/** The report of this plugin is the first byte of all observations; its signatures are the signer and the report. */
export const toySignature = (signer: number, report: Uint8Array): Uint8Array => Uint8Array.of(signer, ...report);
export const toyReport = (observations: readonly { observation: Uint8Array }[]): Uint8Array =>
  Uint8Array.from(observations.map((entry) => entry.observation[0] ?? 0));

const simplePlugin = (me: number): Plugin => ({
  limits,
  query: async () => Uint8Array.of(9),
  observation: async () => observation,
  validateObservation: (_query, said) => said.length === 3,
  due: () => [],
  report: (_query, observations) => toyReport(observations),
  prices: () => [price.pps],
  commitments: () => ({ entries: [price], canonicalNonces: new Map() }),
  sign: async (_context, report) => toySignature(me, report),
  signedEntries: () => [true],
  verify: async (report, signature, signer) => Buffer.compare(toySignature(signer, report), signature) === 0,
  shouldAccept: async () => true,
  shouldTransmit: async () => [price],
});

/** One oracle alone with a test that plays all the others. */
export function single(changes: Changes): Single {
  const { index, disk = emptyDisk(), scheduler = createScheduler() } = changes;
  const events: ProtocolEvent[] = [];
  const sent: Single['sent'] = [];
  const submitted: string[] = [];
  let handler: (from: number, bytes: Uint8Array) => void = () => undefined;
  const decode = (bytes: Uint8Array) => decodeMessage(bytes, { oracles: n, ...limits });
  const access =
    (gate?: () => Promise<void>) =>
    async <T>(operation: () => T) => {
      await gate?.();
      return operation();
    };
  const store = changes.store ?? createDiskStore(disk, access(changes.reads), access(changes.writes));
  const oracle = createOracle({
    config,
    index,
    clock: scheduler,
    random: { u32: () => 0 },
    keyring: {
      publicKey: keys.publicKeys[index] as Uint8Array,
      sign: changes.sign ?? (async (message) => keys.signNow(index, message)),
    },
    verifyOffchain: keys.verifyOffchain,
    observer: (event) => events.push(event),
    plugin: { ...simplePlugin(index), ...changes.plugin },
    store: changes.guard ? { ...store, guardSignature: changes.guard } : store,
    transport: {
      start: (next) => {
        handler = next;
      },
      send: (to, bytes) => sent.push({ to, message: decode(bytes) }),
      broadcast: (bytes) => sent.push({ to: 'all', message: decode(bytes) }),
      close: async () => undefined,
    },
    transmitter: {
      submit: async (key) => {
        await changes.submit?.(key);
        submitted.push(key);
      },
    },
  });
  return {
    oracle,
    disk,
    scheduler,
    events,
    sent,
    submitted,
    hear: (from, message) => handler(from, message instanceof Uint8Array ? message : encodeMessage(message)),
    pass: async (milliseconds) => {
      const end = scheduler.now() + milliseconds;
      let over = false;
      scheduler.after(milliseconds, () => {
        over = true;
      });
      await scheduler.run({ until: () => over, before: end });
    },
    sentOf: (kind) => sent.flatMap(({ message }) => (message.kind === kind ? [message as never] : [])),
    results: (kind) =>
      events.flatMap((event) => (event.type === 'message' && event.kind === kind ? [event.result] : [])),
  };
}

type At = { epoch: number; round: number };

export const observed = (at: At, observer: number, query: Uint8Array, said = observation): SignedObservation => ({
  observer,
  observation: said,
  signature: keys.signNow(observer, observationMessage({ ...at, digest: config.digest }, query, said)),
});

/** What an oracle says of an outcome, with this signature for the contract. */
export function attestedBy(
  at: At,
  outcome: { inputs: Uint8Array; observers: readonly number[]; report: Uint8Array },
  signer: number,
  signature = toySignature(signer, outcome.report),
) {
  const said = attestationMessage({ ...at, digest: config.digest }, outcome, signature);
  return { signer, signature, attestation: keys.signNow(signer, said) };
}

/** A report of these oracles as each of them would sign it. */
export function reported(
  at: At,
  query: Uint8Array,
  observations: readonly SignedObservation[],
  signers: readonly number[],
) {
  const report = toyReport(observations);
  const inputs = inputsHash(query, observations);
  const observers = observations.map(({ observer }) => observer);
  const signatures = signers.map((signer) => attestedBy(at, { inputs, observers, report }, signer));
  return { ...at, inputs, observers, report, signatures };
}

export const attested = (report: Uint8Array): AttestedReport => ({ report, signatures: [] });
