import { type Hex, hexToBytes } from 'viem';
import { verifyEd25519 } from '../keys/ed25519.ts';
import type { MessageResult } from '../monitoring/events.ts';
import { decodeEnvelope, envelopeOverhead, signingInput } from './envelope.ts';
import { type Rate, RateLimit, unprovenRateFor } from './rate.ts';
import { ReplayGuard } from './replay.ts';
import { nameOf, toAll } from './subjects.ts';

export type ReceiverOptions = {
  network: string;
  digest: Hex;
  /** Own index. */
  index: number;
  /** Off-chain keys of all oracles, by index. */
  offchainKeys: readonly Hex[];
  maxBodyBytes: number;
  /** Of the messages that a peer has signed. */
  rate: Rate;
  now: () => number;
};

/**
 * `from` is the owner of the subject, -1 when it has none. Only for what carries the owner's signature (`ok`, `replayed`) has the
 * owner itself sent the message.
 */
export type Received = { result: MessageResult; from: number; body?: Uint8Array };

/**
 * Decides on each message, cheapest check first, so that a flood costs little. A peer's allowance pays for what that peer signed and
 * for nothing else: anyone who writes to its subjects without its key spends another allowance, which is large enough that the peer is
 * heard beside it. Both are the peer's alone: a flood on the subjects of some peers takes nothing from the others.
 */
export function createReceiver(options: ReceiverOptions): (subject: string, data: Uint8Array) => Received {
  const { network, index, maxBodyBytes, offchainKeys, now } = options;
  const digest = Buffer.from(hexToBytes(options.digest));
  const keys = offchainKeys.map((key) => hexToBytes(key));
  const owners = new Map(offchainKeys.map((key, oracle) => [nameOf(key), oracle]));
  const ownName = nameOf(offchainKeys[index] as Hex);
  const proven = new RateLimit<number>(options.rate, now);
  const unproven = new RateLimit<number>(unprovenRateFor(offchainKeys.length), now);
  const replays = new ReplayGuard();

  return (subject, data) => {
    const [name = '', target] = subject.split('.').slice(-2);
    const owner = owners.get(name) ?? -1;
    const refused = (result: MessageResult): Received => ({ result, from: owner });
    if (data.length > maxBodyBytes + envelopeOverhead) return refused('oversized');
    const decoded = decodeEnvelope(data);
    if (!decoded) return refused('malformed');
    const { envelope, signed, signature } = decoded;
    if (envelope.body.length > maxBodyBytes) return refused('oversized');
    if (envelope.network !== network || !digest.equals(envelope.digest)) return refused('wrong_digest');
    const { from, to, session, counter } = envelope;
    const key = keys[from];
    if (!key || from === index || from !== owner) return refused('wrong_sender');
    if ((to !== 'all' && to !== index) || target !== (to === 'all' ? toAll : ownName))
      return refused('wrong_recipient');
    if (!replays.isNew(from, session, counter)) return refused('replayed');
    // Nobody but the peer empties its allowance, so what comes beyond it needs no check.
    if (!proven.allows(from) || !unproven.allows(from)) return refused('rate_limited');
    if (!verifyEd25519(signature, signingInput(signed), key)) {
      unproven.take(from);
      return refused('bad_signature');
    }
    proven.take(from);
    replays.take(from, session, counter);
    return { result: 'ok', from, body: envelope.body };
  };
}
