import { AppError } from '@castellan/contracts';
import { createLogger, createRegistry } from '@castellan/service-kit';
import { type BrokerPair, brokerPair } from '@castellan/testkit';
import { createRevocations, createTokenVerifier, embeddedIssuer } from '@castellan/tokens';
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createHttp } from '../src/http/http-port.ts';
import { mcpHandler } from '../src/mcp/http-handler.ts';
import { aiMetrics } from '../src/telemetry/metrics.ts';
import { fakeServices, type Spy } from './fake-services.ts';
import { managerAddress } from './fixtures.ts';

const issuer = 'http://127.0.0.1:8080';
const audience = 'castellan';
const log = createLogger({ service: 'test', level: 'silent' });

type Claims = { scope?: string; vault?: string; wallet?: string; sid?: string; audience?: string; expired?: boolean };

/** The endpoint on a port of its own, the services it asks, and tokens for it. */
export async function openMcpScene() {
  const spy: Spy = [];
  const bus: BrokerPair = await brokerPair(fakeServices(spy));
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const strange = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }];
  const revocations = createRevocations(Date.now);
  /** What a test may change under the running endpoint. */
  const world = { waitSeconds: 0, hangs: undefined as Promise<void> | undefined, calls: 0, toolMs: 30_000 };
  // In the place of the gateway, which verifies tokens before this endpoint sees a request.
  const verifier = createTokenVerifier({
    issuers: [embeddedIssuer({ issuer, audience, getKey: createLocalJWKSet({ keys }) })],
    revocations,
    cacheEntries: 100,
    now: Date.now,
    count: () => undefined,
  });
  const handler = mcpHandler({
    admit: async ({ authorization }) => {
      if (authorization === undefined) throw new AppError('TOKEN_MISSING', 'The gateway sent no envelope.');
      const token = authorization.slice('Bearer '.length);
      return (await verifier.verify(token, token)).caller;
    },
    callAction: (action, params, options) => {
      world.calls += 1;
      const { hangs } = world;
      return hangs ? hangs.then(() => bus.call(action, params, options)) : bus.call(action, params, options);
    },
    metrics: aiMetrics(createRegistry('ai')),
    origins: ['https://friend.example'],
    atOnce: 2,
    log,
    get toolMs() {
      return world.toolMs;
    },
    secondsUntilRequest: async () => world.waitSeconds,
  });
  const http = createHttp({ host: '127.0.0.1', port: 0 }, { '/mcp': handler });
  const base = `http://127.0.0.1:${await http.listen()}`;
  const tokenOf = (claims: Claims = {}, key = privateKey): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const issued = claims.expired ? now - 7_200 : now;
    const { wallet = managerAddress, sid = 's1' } = claims;
    return new SignJWT({
      wallet_address: wallet,
      sid,
      ...(claims.scope === undefined ? {} : { castellan_scope: claims.scope }),
      ...(claims.vault === undefined ? {} : { castellan_vault: claims.vault }),
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(claims.audience ?? audience)
      .setSubject(wallet)
      .setIssuedAt(issued)
      .setNotBefore(issued)
      .setExpirationTime(issued + 3_600)
      .sign(key);
  };
  const stop = async () => {
    await http.close();
    await bus.stop();
  };
  return { spy, world, base, tokenOf, revocations, strangeKey: strange.privateKey, stop };
}
export type McpScene = Awaited<ReturnType<typeof openMcpScene>>;
