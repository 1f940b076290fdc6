import { randomUUID } from 'node:crypto';
import { chatNamespace } from '@castellan/contracts';
import { createIdentity, toAppError } from '@castellan/service-kit';
import { testKeys, until, untilPromised } from '@castellan/testkit';
import { createTokenVerifier, embeddedIssuer } from '@castellan/tokens';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { io, type Socket } from 'socket.io-client';
import { chainId, managerAddress, vaultAddress } from './fixtures.ts';

const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
export const publicJwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };

/** A token of the embedded issuer; name what is different. */
export function aToken(claims: JWTPayload = {}): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000);
  const payload = {
    iss: 'http://127.0.0.1:8080',
    aud: 'castellan',
    sub: managerAddress,
    sid: randomUUID(),
    iat: seconds,
    nbf: seconds,
    exp: seconds + 3_600,
    wallet_address: managerAddress,
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' }).sign(privateKey);
}

const gateway = createIdentity('gateway', testKeys('gateway'));
const verifier = createTokenVerifier({
  issuers: [
    embeddedIssuer({
      issuer: 'http://127.0.0.1:8080',
      audience: 'castellan',
      getKey: createLocalJWKSet({ keys: [publicJwk as JWK] }),
    }),
  ],
  revocations: { has: () => false },
  cacheEntries: 100,
  now: Date.now,
  count: () => undefined,
});

/** What the gateway makes of a token on its way to the chat. */
async function authOf(token: unknown): Promise<Record<string, unknown>> {
  if (token === undefined) return {};
  try {
    const { caller } = await verifier.verify(String(token), String(token));
    return { envelope: await gateway.issue(caller, 'ai', 'prepare') };
  } catch (error) {
    const { code, message } = toAppError(error);
    return { refusal: { code, detail: message } };
  }
}

type ReceivedEvent = { event: string; [key: string]: unknown };
export type Client = {
  socket: Socket;
  received: ReceivedEvent[];
  tokensOf(messageId: string): { seq: number; text: string }[];
  textOf(messageId: string): string;
  /** Waits for an event of which `fields` hold, and that was not waited for before. @param promisedMs - It is promised within. */
  next(event: string, fields?: Record<string, unknown>, promisedMs?: number): Promise<ReceivedEvent>;
  /** Asks, and waits until the answer has started. */
  ask(message: string, more?: Record<string, unknown>): Promise<{ conversation_id: string; message_id: string }>;
  send(event: string, message: unknown): void;
};

const events = ['chat:started', 'chat:token', 'chat:tool', 'chat:done', 'chat:error'];

/** A client of the chat that remembers everything it received. */
export async function connect(
  port: number,
  token: unknown,
  options: Parameters<typeof io>[1] = {},
  base = `http://127.0.0.1:${port}`,
): Promise<Client> {
  const socket = io(`${base}${chatNamespace}`, {
    transports: ['websocket'],
    auth: await authOf(token),
    forceNew: true,
    reconnection: false,
    timeout: 30_000,
    ...options,
  });
  const received: ReceivedEvent[] = [];
  const seen = new Set<ReceivedEvent>();
  for (const event of events) socket.on(event, (message: object) => received.push({ event, ...message }));
  socket.on('disconnect', () => received.push({ event: 'disconnect' }));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', (error) => {
      socket.close();
      reject(error);
    });
  });
  const tokensOf = (messageId: string) =>
    received
      .filter(({ event, message_id }) => event === 'chat:token' && message_id === messageId)
      .map(({ seq, text }) => ({ seq: seq as number, text: text as string }));
  const next: Client['next'] = (event, fields = {}, promisedMs = undefined) => {
    const what = `${event} ${JSON.stringify(fields)}`;
    const read = () => {
      const holds = (one: ReceivedEvent) => Object.entries(fields).every(([key, value]) => one[key] === value);
      const found = received.find((one) => one.event === event && !seen.has(one) && holds(one));
      if (found) seen.add(found);
      return found;
    };
    return promisedMs === undefined ? until(what, read) : untilPromised(what, read, promisedMs);
  };
  return {
    socket,
    received,
    tokensOf,
    next,
    textOf: (messageId) =>
      tokensOf(messageId)
        .map(({ text }) => text)
        .join(''),
    ask: async (message, more = {}) => {
      const before = received.length;
      socket.emit('chat:send', { vault_address: vaultAddress, chain_id: chainId, message, ...more });
      await until('an answer to begin', () => {
        const refused = received.slice(before).find((one) => one.event === 'chat:error' && !one.message_id);
        if (refused) throw new Error(`"${message}" was refused: ${JSON.stringify(refused)}`);
        return received.slice(before).some(({ event }) => event === 'chat:started');
      });
      const { conversation_id, message_id } = await next('chat:started');
      return { conversation_id: String(conversation_id), message_id: String(message_id) };
    },
    send: (event, message) => void socket.emit(event, message),
  };
}
