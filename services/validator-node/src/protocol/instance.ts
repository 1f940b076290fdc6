import { hexToBytes } from '@noble/hashes/utils.js';
import type {
  Clock,
  NetworkConfig,
  Observer,
  OffchainKeyring,
  Plugin,
  ProtocolStore,
  Random,
  RoundContext,
  Transmitter,
  Transport,
} from '../ports.ts';
import type { Mailbox } from './mailbox.ts';
import { encodeMessage, type Message, type MessageLimits, maxMessageBytes } from './messages.ts';
import { leaderSchedule } from './order.ts';
import { type Quorums, quorumsOf } from './quorum.ts';
import type { VerifyOffchain } from './signing.ts';

/** What an oracle stands on. */
export type OracleOptions = {
  config: NetworkConfig;
  /** Place of this oracle in the configuration. */
  index: number;
  clock: Clock;
  random: Random;
  transport: Transport;
  store: ProtocolStore;
  plugin: Plugin;
  transmitter: Transmitter;
  keyring: OffchainKeyring;
  observer: Observer;
  /** Ed25519 by default. */
  verifyOffchain?: VerifyOffchain;
};

/** What the parts of one running oracle share; none of it changes while it runs. */
export type Instance = Required<OracleOptions> & {
  me: number;
  n: number;
  quorums: Quorums;
  limits: MessageLimits;
  leaderOf(epoch: number): number;
  mailbox: Mailbox;
  /** To one oracle; to oneself by the mailbox. */
  send(to: number, message: Message): void;
  /** To all, oneself included. */
  broadcast(message: Message): void;
  /** `stop` waits for what is tracked. */
  track<T>(work: Promise<T>): Promise<T>;
  verifySigned(oracle: number, message: Uint8Array, signature: Uint8Array): boolean;
  /** Signs and checks the own signature, so that a broken key harms nobody. */
  sign(message: Uint8Array): Promise<Uint8Array>;
  contextOf(at: { epoch: number; round: number }, signal: AbortSignal): RoundContext;
};

export function createInstance(
  options: Required<OracleOptions>,
  mailbox: Mailbox,
  deliver: (from: number, message: Message) => void | Promise<void>,
  tracked: Set<Promise<unknown>>,
): Instance {
  const { config, index: me, plugin, transport, keyring } = options;
  const limits: MessageLimits = { oracles: config.oracles.length, ...plugin.limits };
  const keys = config.oracles.map(({ offchainKey }) => hexToBytes(offchainKey.slice(2)));
  const checked = (message: Message): Uint8Array => {
    const bytes = encodeMessage(message);
    if (bytes.length > maxMessageBytes(limits)) throw new RangeError(`own ${message.kind} of ${bytes.length} bytes`);
    return bytes;
  };
  const verifySigned: Instance['verifySigned'] = (oracle, message, signature) => {
    const key = keys[oracle];
    return key !== undefined && options.verifyOffchain(signature, message, key);
  };
  return {
    ...options,
    me,
    n: config.oracles.length,
    quorums: quorumsOf(config),
    limits,
    leaderOf: leaderSchedule(config),
    mailbox,
    send: (to, message) => {
      const bytes = checked(message);
      if (to === me) mailbox.post(() => deliver(me, message));
      else transport.send(to, bytes);
    },
    broadcast: (message) => {
      transport.broadcast(checked(message));
      mailbox.post(() => deliver(me, message));
    },
    track: (work) => {
      tracked.add(work);
      return work.finally(() => tracked.delete(work));
    },
    verifySigned,
    sign: async (message) => {
      const signature = await keyring.sign(message);
      if (!verifySigned(me, message, signature)) throw new Error('the off-chain key does not match the configuration');
      return signature;
    },
    contextOf: ({ epoch, round }, signal) => ({ digest: config.digest, epoch, round, signal }),
  };
}
