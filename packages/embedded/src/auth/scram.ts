import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Credentials, Users } from './users.ts';

/** A message that breaks the protocol, or a proof that is wrong; both are answered alike. */
export class ScramFault extends Error {}

const fail = (reason: string): never => {
  throw new ScramFault(reason);
};

const NONCE_BYTES = 24;

/** The attributes of a message, `r=…,s=…`. */
function attributes(message: string): Map<string, string> {
  return new Map(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The server's side of one SCRAM-SHA-256 exchange (RFC 7677), without channel binding. */
export class ScramExchange {
  readonly user: string;
  /** What answers the client's first message. */
  readonly challenge: string;
  private readonly credentials: Credentials;
  private readonly clientFirst: string;
  private readonly nonce: string;

  /** @throws {ScramFault} for a first message that is malformed or asks for channel binding. */
  constructor(first: string, users: Users) {
    const [, bare = ''] = /^n,(?:a=[^,]*)?,(.*)$/s.exec(first) ?? fail('the first message is malformed');
    const sent = attributes(bare);
    const name = sent.get('n');
    const nonce = sent.get('r');
    if (!name || !nonce || sent.has('m')) throw new ScramFault('the first message is malformed');
    this.user = name.replaceAll('=2C', ',').replaceAll('=3D', '=');
    this.credentials = users.credentialsOf(this.user);
    this.clientFirst = bare;
    this.nonce = nonce + randomBytes(NONCE_BYTES).toString('base64');
    const { salt, iterations } = this.credentials;
    this.challenge = `r=${this.nonce},s=${salt.toString('base64')},i=${iterations}`;
  }

  /** Checks the client's proof. @returns the server's own. @throws {ScramFault} when the proof is wrong. */
  finish(final: string): string {
    const at = final.lastIndexOf(',p=');
    const withoutProof = final.slice(0, at);
    const sent = attributes(withoutProof);
    if (at < 0 || sent.get('r') !== this.nonce || sent.get('c') !== 'biws')
      return fail('the last message is malformed');
    const proof = Buffer.from(final.slice(at + 3), 'base64');
    const signed = `${this.clientFirst},${this.challenge},${withoutProof}`;
    const { storedKey, serverKey } = this.credentials;
    const signature = hmac(storedKey, signed);
    if (proof.length !== signature.length) return fail('the proof is malformed');
    const clientKey = Buffer.from(proof.map((byte, i) => byte ^ (signature[i] ?? 0)));
    if (!timingSafeEqual(hash('sha256', clientKey, 'buffer'), storedKey)) return fail('the proof is wrong');
    return `v=${hmac(serverKey, signed).toString('base64')}`;
  }
}
