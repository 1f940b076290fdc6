import { createHash, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Action,
  AppError,
  type AuditRow,
  type Caller,
  ExportAudit,
  GetJwks,
  GetMe,
  GetVault,
  GetVaultManagers,
  GetVaultReport,
  GrantViewOnly,
  ListChains,
  ListPublicVaults,
  type Role,
  SetDisplayName,
} from '@castellan/contracts';
import {
  callAction,
  createBroker,
  createIdentity,
  createLogger,
  createRegistry,
  implement,
} from '@castellan/service-kit';
import { testIdentity, testKeys } from '@castellan/testkit';
import { busKeySet, createRevocations, createTokenVerifier, embeddedIssuer, type Issuer } from '@castellan/tokens';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Claim, IdempotencyStore, StoredAnswer } from '../src/adapters/idempotency.mongo.ts';
import { type App, type AppPorts, buildApp } from '../src/app.ts';
import { createSnapshots } from '../src/cache/snapshots.ts';
import type { GatewayConfig } from '../src/config.ts';
import { createFeed } from '../src/live/recent-updates.ts';
import { gatewayMetrics } from '../src/telemetry.ts';
import { aVault, managerAddress, vaultAddress } from './a-vault.ts';

export const issuer = 'http://127.0.0.1:8080';
const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
export const signingKeys = { publicKey, privateKey };
export const publicJwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };

type TokenParts = {
  claims?: JWTPayload;
  header?: Record<string, unknown>;
  key?: Parameters<SignJWT['sign']>[0];
  now?: number;
};

/** A token as the embedded provider makes it; name what is different. A claim set to undefined is left out. */
/** The clock of a gateway stands from its start on: tokens that are made later must not begin after it. */
const loadedAt = Date.now();

export function aToken({ claims = {}, header = {}, key = privateKey, now = loadedAt }: TokenParts = {}) {
  const seconds = Math.floor(now / 1000);
  const payload: JWTPayload = {
    iss: issuer,
    aud: 'castellan',
    sub: managerAddress,
    sid: randomUUID(),
    iat: seconds,
    nbf: seconds,
    exp: seconds + 3600,
    wallet_address: managerAddress,
    ...claims,
  };
  return new SignJWT(JSON.parse(JSON.stringify(payload)) as JWTPayload)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1', ...header } as { alg: string })
    .sign(key);
}

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

export const testConfig = (parts: Partial<GatewayConfig> = {}): GatewayConfig => ({
  env: 'test',
  logLevel: 'silent',
  nats: { url: 'inprocess:', namespace: `gateway-${randomUUID().slice(0, 8)}` },
  mongo: { uri: 'mongodb://127.0.0.1:1', database: 'gateway' },
  monitoring: { host: '127.0.0.1', port: 0 },
  tracing: { endpoint: undefined },
  shutdownGraceSeconds: 5,
  identity: testKeys('gateway'),
  http: { host: '127.0.0.1', port: 0, publicUrl: issuer, trustProxy: false, corsOrigins: ['https://friend.example'] },
  web: {
    dist: join(tmpdir(), 'castellan-no-such-dist'),
    isRequired: false,
    rpcUrls: {},
    connectSrc: [],
    demoWallets: false,
    walletConnectProjectId: undefined,
    safeAppOrigins: [],
  },
  docs: { dist: join(tmpdir(), 'castellan-no-such-docs') },
  rates: { apiPerSecond: 50, apiBurst: 10_000, preparePerSecond: 1000, idpPerMinute: 1000, networkMultiple: 5 },
  connections: { perAddress: 100, idlePerAddress: 50, total: 500 },
  streams: { perCaller: 5, perNetwork: 25, bufferBytes: 262_144, keepSeconds: 360, heartbeatSeconds: 15 },
  tokens: { audience: 'castellan', issuers: [], cacheEntries: 100 },
  snapshots: { maxAgeSeconds: 15, maxBytes: 1_000_000, heldBytes: 1_000_000 },
  chat: { url: undefined },
  ...parts,
});

/** Calls that reached a service. */
export type Spy = { name: string; params: unknown; caller: Caller | undefined }[];

/** `auditLog`: the rows an export has, two a page. `manager` has the only role, read at the block `managersAt`. */
type Behaviour = {
  vault?: () => ReturnType<typeof aVault>;
  auditLog?: readonly AuditRow[];
  manager?: () => string;
  managersAt?: () => number;
};
const aTime = '2026-01-01T00:00:00.000Z';

/** The services behind the gateway, in a process-wide bus with the real serializer. */
export function fakeServices(spy: Spy, behaviour: Behaviour = {}): ServiceSchema[] {
  const record = (action: Action, params: unknown, caller: Caller | undefined) =>
    void spy.push({ name: action.name, params, caller });
  const vault = implement(GetVault, (params, { caller }) => {
    record(GetVault, params, caller);
    if (params.chain_id !== 31337) throw new AppError('CHAIN_NOT_FOUND', `Chain ${params.chain_id} is not served.`);
    if (params.vault_address !== vaultAddress) throw new AppError('VAULT_NOT_FOUND', 'No vault there.');
    const manager = behaviour.manager?.() ?? managerAddress;
    const my_role: Role | null = caller?.wallet_address === manager ? 'primary_manager' : null;
    return { ...(behaviour.vault?.() ?? aVault()), my_role };
  });
  const managers = implement(GetVaultManagers, (params, { caller }) => {
    record(GetVaultManagers, params, caller);
    const primary = { wallet_address: behaviour.manager?.() ?? managerAddress, granted_by: null, granted_at: aTime };
    return { ...params, primary, secondary: [], block_number: behaviour.managersAt?.() ?? 1_000_000 };
  });
  const grant = implement(GrantViewOnly, async (params, { caller }) => {
    record(GrantViewOnly, params, caller);
    if (params.display_name === 'Forbidden') throw new AppError('ROLE_REQUIRED', 'You must be primary_manager.');
    // biome-ignore lint/plugin: the service is still at work when the request comes again
    if (params.display_name === 'Slow') await new Promise((resolve) => setTimeout(resolve, 200));
    if (params.display_name === 'Away') throw new AppError('RPC_UNAVAILABLE', 'No node answers.');
    const user = {
      id: params.wallet_address,
      wallet_address: params.wallet_address,
      display_name: null,
      label_version: 0,
    };
    return { created: spy.filter(({ name }) => name === GrantViewOnly.name).length === 1, user: { user, roles: [] } };
  });
  const rename = implement(SetDisplayName, (params, { caller }) => {
    record(SetDisplayName, params, caller);
    throw new TypeError('a bug that names mongodb://10.0.0.7:27017');
  });
  const auditExport = implement(ExportAudit, (params, { caller }) => {
    record(ExportAudit, params, caller);
    const rows = behaviour.auditLog ?? [];
    if (caller?.wallet_address !== managerAddress) throw new AppError('ROLE_REQUIRED', 'You must be a manager.');
    const start = Number(params.after ?? 0);
    const head = { vault_seq: rows.length, hash: rows.at(-1)?.hash ?? '0'.repeat(64) };
    return { head, rows: rows.slice(start, start + 2), next: start + 2 < rows.length ? `${start + 2}` : null };
  });
  const vaultReport = implement(GetVaultReport, (params, { caller }) => {
    record(GetVaultReport, params, caller);
    if (params.edition === 'full' && !caller) throw new AppError('ROLE_REQUIRED', 'You must have a role.');
    return {
      state: 'final' as const,
      text: params.format === 'html' ? '<p>Report</p>' : '{}',
      sha256: 'ab'.repeat(32),
    };
  });
  const chains = implement(ListChains, (params, { caller }) => {
    record(ListChains, params, caller);
    const numbers = { head_block: 1, indexed_block: 1, lag_seconds: 0, final_time: '2026-11-20T12:00:00Z' };
    const chain = { chain_id: 31337, slug: 'devnet', name: 'Devnet', explorer_url: null, native_symbol: 'ETH' };
    return { chains: [{ ...chain, ...numbers }] };
  });
  const publicList = implement(ListPublicVaults, (params, { caller }) => {
    record(ListPublicVaults, params, caller);
    return [];
  });
  const me = implement(GetMe, (params, { caller }) => {
    record(GetMe, params, caller);
    return { wallet_address: caller?.wallet_address ?? '', is_manager: true, vaults: [] };
  });
  return [
    { name: 'vaults', version: 1, actions: { detail: vault, managers, chains, publicList, me } },
    { name: 'users', version: 1, actions: { grantViewOnly: grant, setDisplayName: rename, auditExport, vaultReport } },
    { name: 'auth', version: 1, actions: { jwks: implement(GetJwks, () => ({ keys: [publicJwk] })) } },
  ];
}

/** Idempotency keys in memory, with the same rules as the store. */
export function memoryIdempotency(): IdempotencyStore {
  const keys = new Map<string, { fingerprint: string; answer: StoredAnswer | null }>();
  return {
    async claim(id, fingerprint): Promise<Claim> {
      const found = keys.get(id);
      if (!found) {
        keys.set(id, { fingerprint, answer: null });
        return { kind: 'mine', lockedUntil: new Date(0) };
      }
      if (found.fingerprint !== fingerprint) return { kind: 'reused' };
      return found.answer ? { kind: 'answered', answer: found.answer } : { kind: 'running' };
    },
    keep: async (id, _claim, answer) => void Object.assign(keys.get(id) ?? {}, { answer }),
    release: async (id) => void keys.delete(id),
  };
}

export type TestGateway = App & { ports: AppPorts; spy: Spy; clock: { now: number }; stop(): Promise<void> };

let started = 0;

/** The gateway with fake services on an in-process bus of its own; `clock.now` moves what it takes for the time. */
export async function startTestGateway(
  options: {
    config?: Partial<GatewayConfig>;
    issuers?: readonly Issuer[];
    /** Answers in place of the services. */
    callAction?: AppPorts['callAction'];
  } & Behaviour = {},
): Promise<TestGateway> {
  const config = testConfig(options.config);
  const log = createLogger({ service: 'test', level: 'silent' });
  started += 1;
  const nats = { ...config.nats, namespace: `${config.nats.namespace}-${started}` };
  const brokerOf = (service: string): ServiceBroker =>
    createBroker({ service, nats, registry: createRegistry(service), log, identity: testIdentity() });
  const spy: Spy = [];
  const services = brokerOf('services');
  for (const schema of fakeServices(spy, options)) services.createService(schema);
  const own = brokerOf('gateway');
  await services.start();
  await own.start();
  await own.waitForServices([
    { name: 'vaults', version: 1 },
    { name: 'auth', version: 1 },
  ]);
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const revocations = createRevocations(now);
  const call: AppPorts['callAction'] = (action, params, callOptions) => callAction(own, action, params, callOptions);
  const embedded = embeddedIssuer({ issuer, audience: 'castellan', getKey: busKeySet(() => call(GetJwks, {}), now) });
  const ports: AppPorts = {
    config,
    callAction: options.callAction ?? call,
    identity: createIdentity('gateway', testKeys('gateway')),
    revocations,
    verifier: createTokenVerifier({
      issuers: [embedded, ...(options.issuers ?? [])],
      revocations,
      cacheEntries: 100,
      now,
      count: () => undefined,
    }),
    idempotency: memoryIdempotency(),
    snapshots: createSnapshots({ maxAgeMs: 15_000, maxBytes: 1_000_000, now, count: () => undefined }),
    feed: createFeed({ keepMs: 360_000, maxEvents: 1000, now }),
    metrics: gatewayMetrics(createRegistry('test')),
    log,
    now,
  };
  const app = await buildApp(ports);
  return {
    ...app,
    ports,
    spy,
    clock,
    stop: async () => {
      app.streams.close();
      await app.http.close();
      await own.stop();
      await services.stop();
    },
  };
}
