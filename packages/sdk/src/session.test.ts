import { describe, expect, jest, test } from '@jest/globals';
import { privateKeyToAccount } from 'viem/accounts';
import { createSession, type SessionOptions } from './session.ts';

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const origin = 'https://app.example.org';

const challengeFor = (uri: string, wallet: string, chainId = 1) => ({
  nonce: 'n',
  issued_at: '2026-06-01T12:00:00.000Z',
  expires_at: '2026-06-01T12:05:00.000Z',
  siwe_message: `${new URL(uri).host} wants you to sign in with your Ethereum account:\n${wallet}\n\nSign in\n\nURI: ${uri}`,
  typed_data: {
    domain: { name: 'Castellan', version: '1', chainId },
    types: {
      Authentication: ['wallet', 'uri', 'statement', 'nonce', 'issuedAt', 'expirationTime'].map((name) => ({
        name,
        type: 'string',
      })),
    },
    primaryType: 'Authentication',
    message: { wallet, uri, statement: 'Sign in', nonce: 'n', issuedAt: '', expirationTime: '' },
  },
});

/** A server that gives tokens of ten minutes, and what was sent to it. */
const deployment = (challenge: object = challengeFor(origin, account.address)) => {
  const sent: { path: string; body: Record<string, string>; token: string | null }[] = [];
  let tokens = 0;
  let nowMs = 0;
  const fake: typeof fetch = async (url, init) => {
    const path = new URL(String(url)).pathname;
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    sent.push({ path, body, token: new Headers(init?.headers).get('authorization') });
    if (path.endsWith('/logout')) return new Response(null, { status: 204 });
    if (path.endsWith('/nonce')) return Response.json(challenge);
    tokens += 1;
    const { address: wallet_address } = account;
    return Response.json({ access_token: `t${tokens}`, token_type: 'Bearer', expires_in: 600, wallet_address });
  };
  const session = (options: Partial<SessionOptions> = {}) =>
    createSession({
      baseUrl: origin,
      fetch: fake,
      wallet: account,
      chainId: 1,
      clock: { now: () => nowMs, wait: async () => undefined },
      ...options,
    });
  return { sent, session, pass: (seconds: number) => (nowMs += seconds * 1000) };
};

describe('a session', () => {
  test('default: signs in once for all who ask, and again shortly before the token ends', async () => {
    const { session, sent, pass } = deployment();
    const { token, wallet_address } = session();
    expect(wallet_address).toBe(account.address);
    expect(await Promise.all([token(), token()])).toEqual(['t1', 't1']);
    pass(539);
    expect(await token()).toBe('t1');
    pass(1);
    expect(await token()).toBe('t2');
    expect(sent.map(({ path }) => path.split('/').at(-1))).toEqual(['nonce', 'token', 'nonce', 'token']);
    expect(sent[1]?.body).toMatchObject({ method: 'eip712', signature: expect.stringMatching(/^0x[0-9a-f]{130}$/) });
  });

  test('default: signs a SIWE message with a wallet client too', async () => {
    const { session, sent } = deployment();
    const signMessage = jest.fn(async (_given: object) => '0x5167');
    const wallet = { account: { address: account.address }, signMessage, signTypedData: async () => '0x' };
    await session({ wallet, method: 'siwe' }).token();
    const { siwe_message: message } = challengeFor(origin, account.address);
    expect(signMessage).toHaveBeenCalledWith({ account: wallet.account, message });
    expect(sent[1]?.body).toEqual({ method: 'siwe', message, signature: '0x5167' });
  });

  test('behavior: a signature given again replaces the token of the same session', async () => {
    const { session, sent } = deployment();
    const own = session();
    await own.stepUp();
    expect(sent.at(-1)).toMatchObject({ path: '/api/v1/auth/step-up', token: 'Bearer t1' });
    expect(await own.token()).toBe('t2');
  });

  test('behavior: what is ended is ended at the server, and the next token is another', async () => {
    const { session, sent } = deployment();
    const own = session();
    await own.token();
    await own.end();
    expect(sent.at(-1)).toMatchObject({ path: '/idp/v1/logout', token: 'Bearer t1' });
    expect(await own.token()).toBe('t2');
    const unused = session();
    await unused.end();
    expect(sent.at(-1)?.path).toBe('/idp/v1/token');
  });

  test('error: a sign-in that failed is tried again with the next token', async () => {
    const { session } = deployment();
    const refusing = jest.fn(account.signTypedData).mockRejectedValueOnce(new Error('refused'));
    const { token } = session({ wallet: { ...account, signTypedData: refusing as typeof account.signTypedData } });
    await expect(token()).rejects.toThrow('refused');
    expect(await token()).toBe('t1');
  });
});

describe('security', () => {
  const other = `0x${'22'.repeat(20)}`;
  const own = challengeFor(origin, account.address);
  test.each([
    ['another site', challengeFor('https://other.example.org', account.address)],
    ['another wallet', challengeFor(origin, other)],
    ['another chain', challengeFor(origin, account.address, 5)],
    ['something else than a sign-in', { ...own, typed_data: { ...own.typed_data, primaryType: 'Permit' } }],
    [
      'a message of another site',
      { ...own, siwe_message: challengeFor('https://a.org', account.address).siwe_message },
    ],
    ['a message of another wallet', { ...own, siwe_message: challengeFor(origin, other).siwe_message }],
    [
      'a message with another URI',
      { ...own, siwe_message: own.siwe_message.replace('URI: https://app', 'URI: https://b') },
    ],
  ])('security: nothing is signed for %s', async (_, challenge) => {
    const { session, sent } = deployment(challenge);
    const sign = jest.fn(async () => '0x');
    const wallet = { address: account.address, signMessage: sign, signTypedData: sign };
    await expect(session({ wallet }).token()).rejects.toThrow();
    expect(sign).not.toHaveBeenCalled();
    expect(sent).toHaveLength(1);
  });

  test('behavior: the address by which a deployment is known may be given', async () => {
    const { session } = deployment();
    await expect(session({ baseUrl: 'http://127.0.0.1:8080' }).token()).rejects.toThrow('give it as publicUrl');
    expect(await session({ baseUrl: 'http://127.0.0.1:8080', publicUrl: origin }).token()).toBe('t1');
  });
});
