import { devnetChain } from '@castellan/chain';
import { AppError, GetRoles, GetVaultManagers, type ResultOf } from '@castellan/contracts';
import { bindIdentity, implement, type RunningService, startService } from '@castellan/service-kit';
import { startTestNats, startTestStore, testIdentity, testKeys } from '@castellan/testkit';
import { devWallet } from '../../../packages/protocol/src/dev-wallets.ts';
import { authDefinition } from '../src/compose.ts';
import type { AuthConfig } from '../src/config.ts';

export const wallet = devWallet(1);
export const other = devWallet(2);
export const issuer = 'http://127.0.0.1:8080';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const chainAt = (url: string) =>
  devnetChain(
    { governor: address('1'), aggregator: address('2'), start_block: 0, chain_id: 31337 },
    { rpcUrls: [url] },
  );

type Roles = ResultOf<typeof GetRoles>['roles'];

/** Where no vault is. */
export const nowhere = '0x1111111111111111111111111111111111111111';

const aTime = '2026-01-01T00:00:00.000Z';

/** The service on a bus and a store of its own, and beside it the owner of roles, from whose side the tests ask. */
export async function startAuth(options: { rpcUrl: string; roles: (walletAddress: string) => Roles }) {
  const nats = await startTestNats();
  const store = await startTestStore();
  const config: AuthConfig = {
    env: 'test',
    logLevel: 'silent',
    nats: { url: nats.url, namespace: nats.namespace },
    mongo: { uri: store.uri, database: store.database },
    monitoring: { host: '127.0.0.1', port: 0 },
    tracing: { endpoint: undefined },
    shutdownGraceSeconds: 5,
    identity: testKeys('auth'),
    issuer,
    audience: 'castellan',
    keySecret: 'a secret of at least thirty-two characters',
    keySecretPrevious: undefined,
    sessionSeconds: 3600,
    stepUpSeconds: 1800,
    nonceSeconds: 300,
    sessionsPerWallet: 20,
    noncesPerMinute: 20,
    attemptsPerMinute: 30,
    keyRotationSeconds: 90 * 86_400,
    kmsKeys: [],
    vaultTokenFile: undefined,
    chains: [chainAt(options.rpcUrl)],
  };
  const auth: RunningService = await startService(authDefinition(config));
  const users: RunningService = await startService({
    name: 'users',
    config: { ...config, identity: testKeys('users'), mongo: { ...config.mongo, database: `${store.database}_users` } },
    mongo: false,
    build: () => ({
      schemas: [
        {
          name: 'users',
          version: 1,
          actions: { roles: implement(GetRoles, ({ wallet_address }) => ({ roles: options.roles(wallet_address) })) },
        },
        {
          name: 'vaults',
          version: 1,
          actions: {
            managers: implement(GetVaultManagers, (vault) => {
              if (vault.vault_address === nowhere) throw new AppError('VAULT_NOT_FOUND', 'There is no such vault.');
              const primary = { wallet_address: other.address, granted_by: null, granted_at: aTime };
              return { ...vault, primary, secondary: [], block_number: 1 };
            }),
          },
        },
      ],
    }),
  });
  // The tests call as the caller they need.
  bindIdentity(users.broker, testIdentity());
  await users.broker.waitForServices({ name: 'auth', version: 1 });
  await auth.broker.waitForServices(['users', 'vaults'].map((name) => ({ name, version: 1 })));
  return {
    auth,
    users,
    config,
    stop: async () => {
      await auth.stop();
      await users.stop();
      await store.stop();
      await nats.stop();
    },
  };
}

export type AuthWorld = Awaited<ReturnType<typeof startAuth>>;
