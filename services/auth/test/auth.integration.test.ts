import { createServer, type Server } from 'node:http';
import {
  type Caller,
  CreateNonce,
  CreateToken,
  EndSession,
  GetJwks,
  SessionRevoked,
  SessionStream,
} from '@castellan/contracts';
import { callAction, followStream, type RunningService, startService } from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose';
import { devWallet } from '../../../packages/protocol/src/dev-wallets.ts';
import { sealer } from '../src/adapters/seal.ts';
import { authDefinition } from '../src/compose.ts';
import type { AuthConfig } from '../src/config.ts';
import { type AuthWorld, issuer, other, startAuth, wallet } from './harness.ts';

const contractWallet = '0x00000000000000000000000000000000000c0de1';

let world: AuthWorld;
let rpc: Server;
let rpcAnswers: (method: string, params: unknown[]) => unknown;
let auth: RunningService;
let users: RunningService;
let config: AuthConfig;

async function startRpc(): Promise<string> {
  rpc = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const parsed = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string; params: unknown[] }[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    const answers = calls.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, result: rpcAnswers(method, params) }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => rpc.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(rpc.address() as { port: number }).port}`;
}

beforeAll(async () => {
  world = await startAuth({
    rpcUrl: await startRpc(),
    roles: (who) =>
      who === wallet.address
        ? [{ chain_id: 31337, vault_address: other.address, role: 'secondary_manager' as const }]
        : [],
  });
  ({ auth, users, config } = world);
});

afterAll(async () => {
  await world?.stop();
  rpc?.close();
});

const call: typeof callAction = (bus, action, params, options) => callAction(bus, action, params, options);
const nonceFor = (who = wallet.address as string) => call(users.broker, CreateNonce, { address: who, chain_id: 31337 });

async function signedIn(): Promise<{ token: string; caller: Caller }> {
  const { siwe_message } = await nonceFor();
  const signature = await wallet.signMessage({ message: siwe_message });
  const { access_token } = await call(users.broker, CreateToken, { method: 'siwe', message: siwe_message, signature });
  const { keys } = await call(users.broker, GetJwks, {});
  const { payload } = await jwtVerify(access_token, createLocalJWKSet({ keys } as JSONWebKeySet));
  return { token: access_token, caller: { wallet_address: wallet.address, sid: String(payload.sid), issuer } };
}

describe('tokens', () => {
  test('default: SIWE gives a token with every claim the gateway pins', async () => {
    const { token } = await signedIn();
    const { keys } = await call(users.broker, GetJwks, {});
    expect(keys[0]).not.toHaveProperty('d');
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys } as JSONWebKeySet), {
      issuer,
      audience: 'castellan',
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    expect(payload).toMatchObject({ sub: wallet.address, wallet_address: wallet.address });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    expect(payload.nbf).toBe(payload.iat);
    expect(payload.sid).toEqual(expect.any(String));
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: keys[0]?.kid });
  });

  test('default: typed data gives a token', async () => {
    const { typed_data } = await nonceFor();
    const signature = await wallet.signTypedData(typed_data as unknown as Parameters<typeof wallet.signTypedData>[0]);
    const answer = await call(users.broker, CreateToken, { method: 'eip712', typed_data, signature });
    expect(answer).toMatchObject({ token_type: 'Bearer', expires_in: 3600, wallet_address: wallet.address });
  });

  test('error: NONCE_INVALID for a nonce that is used or unknown', async () => {
    const { siwe_message } = await nonceFor();
    const signature = await wallet.signMessage({ message: siwe_message });
    const exchange = () => call(users.broker, CreateToken, { method: 'siwe', message: siwe_message, signature });
    await exchange();
    await expect(exchange()).rejects.toMatchObject({ code: 'NONCE_INVALID' });
  });

  test('behavior: of two who bring one nonce at the same time, one wins', async () => {
    const { siwe_message } = await nonceFor();
    const signature = await wallet.signMessage({ message: siwe_message });
    const exchange = () => call(users.broker, CreateToken, { method: 'siwe', message: siwe_message, signature });
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, exchange));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('error: SIGNATURE_INVALID for another wallet, and the nonce stays for the right one, once', async () => {
    rpcAnswers = () => '0x';
    const { siwe_message: message } = await nonceFor();
    const wrong = await other.signMessage({ message });
    const right = await wallet.signMessage({ message });
    const exchange = (signature: string) => call(users.broker, CreateToken, { method: 'siwe', message, signature });
    await expect(exchange(wrong)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    expect(await exchange(right)).toMatchObject({ wallet_address: wallet.address });
    await expect(exchange(right)).rejects.toMatchObject({ code: 'NONCE_INVALID' });
  });

  test('error: SIGNATURE_INVALID for typed data that was changed', async () => {
    const { typed_data } = await nonceFor();
    const changed = { ...typed_data, message: { ...typed_data.message, statement: 'Something else' } };
    const signature = await wallet.signTypedData(changed as unknown as Parameters<typeof wallet.signTypedData>[0]);
    const exchange = call(users.broker, CreateToken, { method: 'eip712', typed_data: changed, signature });
    await expect(exchange).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  });

  test('error: MESSAGE_MALFORMED for what is no sign-in message', async () => {
    const exchange = call(users.broker, CreateToken, { method: 'siwe', message: 'hello', signature: '0x00' });
    await expect(exchange).rejects.toMatchObject({ code: 'MESSAGE_MALFORMED' });
  });

  test('behavior: a nonce reveals nothing of the next', async () => {
    const nonces = await Promise.all(Array.from({ length: 5 }, async () => (await nonceFor(contractWallet)).nonce));
    const runs = nonces.flatMap((nonce) =>
      Array.from({ length: nonce.length - 11 }, (_, at) => nonce.slice(at, at + 12)),
    );
    expect(new Set(runs).size).toBe(runs.length);
    expect(nonces.every((nonce) => /^[0-9a-f]{32}$/.test(nonce))).toBe(true);
  });

  test('error: CHAIN_NOT_FOUND for a chain that is not served', async () => {
    await expect(call(users.broker, CreateNonce, { address: wallet.address, chain_id: 5 })).rejects.toMatchObject({
      code: 'CHAIN_NOT_FOUND',
    });
  });
});

describe('wallets that are contracts', () => {
  const exchangeFor = async () => {
    const { siwe_message: message } = await nonceFor(contractWallet);
    const signature = await wallet.signMessage({ message });
    return call(users.broker, CreateToken, { method: 'siwe', message, signature });
  };
  const yes = `0x${'1'.padStart(64, '0')}`;

  test('behavior: the chain says whether their signature is good', async () => {
    rpcAnswers = (method) => (method === 'eth_getCode' ? '0x6000' : yes);
    expect((await exchangeFor()).wallet_address.toLowerCase()).toBe(contractWallet);
    rpcAnswers = (method) => (method === 'eth_getCode' ? '0x6000' : `0x${'0'.repeat(64)}`);
    await expect(exchangeFor()).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  });

  test('behavior: their tokens are for the chain that said so, those of a key for every chain', async () => {
    rpcAnswers = (method) => (method === 'eth_getCode' ? '0x6000' : yes);
    expect(decodeJwt((await exchangeFor()).access_token).castellan_chain).toBe(31337);
    expect(decodeJwt((await signedIn()).token)).not.toHaveProperty('castellan_chain');
  });

  test('behavior: a wallet to be deployed is asked of the chain without code', async () => {
    rpcAnswers = () => yes;
    const { siwe_message: message } = await nonceFor(contractWallet);
    const signature = `0x${'00'.repeat(32)}${'6492'.repeat(16)}`;
    const token = await call(users.broker, CreateToken, { method: 'siwe', message, signature });
    expect(token.wallet_address.toLowerCase()).toBe(contractWallet);
    expect(decodeJwt(token.access_token).castellan_chain).toBe(31337);
  });

  test('error: RPC_UNAVAILABLE, not a refusal, while the node is away; a key needs no node', async () => {
    const { port } = rpc.address() as { port: number };
    await new Promise((resolve) => {
      rpc.close(resolve);
      rpc.closeAllConnections();
    });
    try {
      await expect(exchangeFor()).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
      expect((await signedIn()).token).toEqual(expect.any(String));
    } finally {
      await new Promise<void>((resolve) => rpc.listen(port, '127.0.0.1', resolve));
    }
  });
});

describe('sessions', () => {
  test('behavior: logout is published to every gateway, also one that starts later', async () => {
    const { caller } = await signedIn();
    expect(await call(users.broker, EndSession, {}, { caller })).toBeNull();
    expect(await call(users.broker, EndSession, {}, { caller })).toBeNull();
    const seen: { sid: string }[] = [];
    const following = await followStream(users.context.durable, {
      stream: SessionStream,
      events: [SessionRevoked],
      from: 'start',
      onMessage: ({ data }) => void seen.push(data as { sid: string }),
    });
    const own = () => seen.filter(({ sid }) => sid === caller.sid);
    await until('the event', () => own().length > 0);
    expect(own()[0]).toMatchObject({ sid: caller.sid, expires_at: expect.any(String) });
    await following.stop();
  });

  test('error: TOKEN_MISSING without a caller', async () => {
    await expect(call(users.broker, EndSession, {})).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
  });
});

describe('keys and quotas', () => {
  test('behavior: several processes that start together share one key', async () => {
    const shared = { ...config, mongo: { ...config.mongo, database: `${config.mongo.database}_race` } };
    const started = await Promise.all([1, 2, 3].map(() => startService(authDefinition(shared))));
    const keys = await Promise.all(started.map(({ broker }) => call(broker, GetJwks, {})));
    expect(keys[0]?.keys).toHaveLength(1);
    await Promise.all(started.map((service) => service.stop()));
    const again = await startService(authDefinition(shared));
    expect(await call(again.broker, GetJwks, {})).toEqual(keys[0]);
    await again.stop();
    const stored = await auth.context.mongo.getClient().db(shared.mongo.database).collection('signing_keys').findOne();
    expect(JSON.stringify(stored)).not.toContain('"d"');
    const wrongSecret = { ...shared, keySecret: 'quite another secret of thirty-two characters' };
    await expect(startService(authDefinition(wrongSecret))).rejects.toThrow(/AUTH_KEY_SECRET/);

    // Changed with the former secret beside it, it opens what that one sealed, and afterwards needs it no longer.
    const changed = { ...wrongSecret, keySecretPrevious: shared.keySecret };
    for (const settings of [changed, wrongSecret]) {
      const service = await startService(authDefinition(settings));
      expect(await call(service.broker, GetJwks, {})).toEqual(keys[0]);
      await service.stop();
    }
  });

  test('behavior: a key that somebody wrote into the store is neither published nor signs', async () => {
    const shared = { ...config, mongo: { ...config.mongo, database: `${config.mongo.database}_forged` } };
    const first = await startService(authDefinition(shared));
    const genuine = await call(first.broker, GetJwks, {});
    await first.stop();
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const forged = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(forged);
    const stored = auth.context.mongo
      .getClient()
      .db(`${config.mongo.database}_forged`)
      .collection<{ _id: string }>('signing_keys');
    const fields = {
      generation: 99,
      created_at: new Date(0),
      public_jwk: { ...forged, kid, alg: 'ES256', use: 'sig' },
    };
    const own = sealer('the secret of the one who wrote it there').seal(
      JSON.stringify(await exportJWK(privateKey)),
      kid,
    );
    await stored.insertOne({ _id: kid, ...fields, sealed_private_jwk: own } as { _id: string });
    // Nor does another public key beside a genuine sealed one.
    await stored.updateOne({ _id: genuine.keys[0]?.kid as string }, { $set: { public_jwk: fields.public_jwk } });
    const again = await startService(authDefinition(shared));
    expect(await call(again.broker, GetJwks, {})).toEqual(genuine);
    await again.stop();
  });

  const askFrom = (network: string, address = other.address as string) =>
    call(users.broker, CreateNonce, { address, chain_id: 31337 }, { network });

  test('behavior: strangers who ask for an address without end keep its owner out in no network, their own included', async () => {
    const asked = await Promise.all(Array.from({ length: 45 }, () => askFrom('192.0.2.1')));
    const theirs = new Set(asked.map(({ nonce }) => nonce));
    // The minute may turn once in between.
    expect(theirs.size).toBeLessThanOrEqual(40);
    const elsewhere = await askFrom('2001:db8::');
    expect(theirs).not.toContain(elsewhere.nonce);
    const { siwe_message: message } = await askFrom('192.0.2.1');
    const signature = await other.signMessage({ message });
    const token = await call(users.broker, CreateToken, { method: 'siwe', message, signature });
    expect(token.wallet_address).toBe(other.address);
  });

  test('behavior: an unused nonce is handed out again to its own network and address only', async () => {
    const address = contractWallet;
    const minuteNow = () => Math.floor(Date.now() / 60_000);
    const askedFrom = async (network: string) => {
      const minute = minuteNow();
      const asked = await Promise.all(Array.from({ length: 41 }, () => askFrom(network, address)));
      const again = await askFrom(network, address);
      return minuteNow() === minute && { network, asked, again };
    };
    let network = 1;
    // They are counted by the minute: a network that asked in two of them was handed out too few.
    const { asked, again, ...from } = await until('all of them within a minute', () => {
      network += 1;
      return askedFrom(`198.51.100.${network}`);
    });
    expect(asked.map(({ siwe_message }) => siwe_message)).toContain(again.siwe_message);
    for (const [other, who] of [
      ['192.0.2.3', address],
      [from.network, wallet.address],
    ] as const)
      expect(asked.map(({ nonce }) => nonce)).not.toContain((await askFrom(other, who)).nonce);
  });

  test('behavior: a wallet that signs in again and again has its oldest sessions ended, everywhere', async () => {
    const account = devWallet(30);
    const signIn = async (network: string) => {
      const { siwe_message: message } = await askFrom(network, account.address);
      const signature = await account.signMessage({ message });
      await call(users.broker, CreateToken, { method: 'siwe', message, signature });
    };
    const ended: string[] = [];
    const following = await followStream(users.context.durable, {
      stream: SessionStream,
      events: [SessionRevoked],
      from: new Date(),
      onMessage: ({ data }) => void ended.push((data as { sid: string }).sid),
    });
    for (let n = 0; n < 22; n += 1) await signIn(`192.0.2.${n}`);
    const sessions = await auth.context.mongo
      .collection('sessions')
      .find({ wallet_address: account.address.toLowerCase() })
      .toArray();
    const live = sessions.filter(({ revoked_at }) => revoked_at === null);
    expect([sessions.length, live.length]).toEqual([22, 20]);
    // Of other wallets an announcement may come late.
    const theirs = () => ended.filter((sid) => sessions.some(({ _id }) => String(_id) === sid));
    await until('the announcements', () => theirs().length === 2);
    expect(live.map(({ _id }) => String(_id))).not.toEqual(expect.arrayContaining(theirs()));
    await following.stop();
  });
});
