import { hexToBytes } from 'viem';
import type { Transport } from '../../../src/ports.ts';
import { maxMessageBytes } from '../../../src/protocol/messages.ts';
import { encodeEnvelope } from '../../../src/transport/envelope.ts';
import { createNatsTransport, type NatsTransportOptions } from '../../../src/transport/nats-transport.ts';
import { RateLimit, rateFor } from '../../../src/transport/rate.ts';
import { nameOf, prefixOf, toAll } from '../../../src/transport/subjects.ts';
import type { PriceWorld } from './price-world.ts';

type Message = { subject: string; data: Uint8Array };
type Callback = (error: Error | null, message: Message) => void;
type World = Pick<PriceWorld, 'config' | 'keys' | 'scheduler'>;

const network = 'sim';
const delayMs = 8;

/** A bus without permissions: everybody may write to every subject. What listens on it is the real transport. */
export function createPlayedBus({ chargesFirst }: { chargesFirst: boolean }) {
  const listeners = new Map<string, Set<Callback>>();
  let after: (ms: number, run: () => void) => unknown = () => undefined;
  const targetOf = (subject: string) => subject.split('.').at(-1) as string;

  const publish = (subject: string, data: Uint8Array) => {
    after(delayMs, () => {
      for (const listen of listeners.get(targetOf(subject)) ?? []) listen(null, { subject, data });
    });
  };
  const subscribe = (subject: string, { callback }: { callback: Callback }, wrap: (listen: Callback) => Callback) => {
    const own = wrap(callback);
    const target = targetOf(subject);
    listeners.set(target, (listeners.get(target) ?? new Set()).add(own));
    return { unsubscribe: () => void listeners.get(target)?.delete(own) };
  };

  const transport = (index: number, _honest: Transport, { config, keys, scheduler }: World): Transport => {
    after = scheduler.after;
    const rate = rateFor(config.timing);
    // The allowance of a peer is charged before its signature is looked at.
    const charged = new RateLimit<string>(rate, scheduler.now);
    const wrap = (listen: Callback): Callback =>
      chargesFirst
        ? (error, message) => {
            if (charged.take(message.subject.split('.').at(-2) as string)) listen(error, message);
          }
        : listen;
    return createNatsTransport({
      bus: {
        isConnected: () => true,
        nats: {
          publish,
          subscribe: (subject: string, options: { callback: Callback }) => subscribe(subject, options, wrap),
        },
      } as unknown as NatsTransportOptions['bus'],
      network,
      digest: config.digest,
      index,
      rate,
      keyring: keys.keyring(index),
      offchainKeys: config.oracles.map(({ offchainKey }) => offchainKey),
      session: { number: BigInt(scheduler.now() + 1), nonce: BigInt(index) },
      maxBodyBytes: maxMessageBytes({
        oracles: config.oracles.length,
        query: 0,
        observation: 2 ** 14,
        report: 2 ** 14,
        signature: 2 ** 14,
      }),
      now: scheduler.now,
      onMessage: () => undefined,
    });
  };
  return { publish, transport };
}

/** Envelopes with everything right but the signature, in the name of each oracle. */
export function floodWithForgeries(
  { publish }: ReturnType<typeof createPlayedBus>,
  { config, scheduler }: World,
  perSecond: number,
): void {
  const digest = hexToBytes(config.digest);
  let counter = 1_000_000n;
  const forge = () => {
    for (const [from, { offchainKey }] of config.oracles.entries()) {
      counter += 1n;
      const session = { number: 1n << 40n, nonce: 1n };
      const unsigned = encodeEnvelope({
        network,
        digest,
        from,
        to: 'all',
        session,
        counter,
        body: Uint8Array.of(1, 0),
      });
      publish(
        `${prefixOf(network, config.digest)}.${nameOf(offchainKey)}.${toAll}`,
        Buffer.concat([unsigned, Buffer.alloc(64, 1)]),
      );
    }
    scheduler.after(1_000 / perSecond, forge);
  };
  forge();
}
