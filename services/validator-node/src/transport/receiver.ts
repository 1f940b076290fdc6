import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type Hex, hexToBytes } from 'viem';
import type { MessageResult } from '../monitoring/events.ts';
import { decodeEnvelope, envelopeOverhead, signingInput } from './envelope.ts';
import { type Rate, RateLimit } from './rate.ts';
import { ReplayGuard } from './replay.ts';

export type ReceiverOptions = {
  network: string;
  digest: Hex;
  /** Own index. */
  index: number;
  /** Off-chain keys of all oracles, by index. */
  offchainKeys: readonly Hex[];
  maxBodyBytes: number;
  rate: Rate;
  now: () => number;
};

export type Received = { result: MessageResult; from: number; body?: Uint8Array };

const ed25519Key = (key: Hex): KeyObject =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(hexToBytes(key)).toString('base64url') },
    format: 'jwk',
  });

/**
 * Decides on each message, cheapest check first, so that a flood costs little: size, form, digest, sender, receiver, rate, and
 * only then the signature and whether it came before.
 */
export function createReceiver(options: ReceiverOptions): (subject: string, data: Uint8Array) => Received {
  const { network, index, maxBodyBytes } = options;
  const digest = Buffer.from(hexToBytes(options.digest));
  const keys = options.offchainKeys.map(ed25519Key);
  const rate = new RateLimit(options.rate, options.now);
  const replays = new ReplayGuard();

  return (subject, data) => {
    const [named, target] = subject.split('.').slice(-2) as [string, string];
    const refused = (result: MessageResult, from = -1): Received => ({ result, from });
    if (data.length > maxBodyBytes + envelopeOverhead) return refused('oversized');
    const decoded = decodeEnvelope(data);
    if (!decoded) return refused('malformed');
    const { envelope, signed, signature } = decoded;
    if (envelope.body.length > maxBodyBytes) return refused('oversized');
    if (envelope.network !== network || !digest.equals(envelope.digest)) return refused('wrong_digest');
    const { from, to } = envelope;
    const key = keys[from];
    if (!key || from === index || String(from) !== named) return refused('wrong_sender');
    if ((to !== 'all' && to !== index) || String(to) !== target) return refused('wrong_recipient', from);
    if (!rate.take(from)) return refused('rate_limited', from);
    if (!verify(null, signingInput(signed), key, signature)) return refused('bad_signature', from);
    if (!replays.take(from, envelope.session, envelope.counter)) return refused('replayed', from);
    return { result: 'ok', from, body: envelope.body };
  };
}
