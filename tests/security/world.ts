import {
  AlertChanged,
  AlertSignalStream,
  AlertStream,
  AuditStream,
  ChainStream,
  DirectoryStream,
  DisplayNameChanged,
  FiguresStream,
  ProjectionStream,
  RoleStream,
  type ServiceName,
  UpdateStream,
  ValidatorStream,
  VaultUpdated,
  ViewOnlyChanged,
} from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { type RunningService, type ServiceDefinition, startService } from '@castellan/service-kit';
import { freePort, testKeysEnv, until } from '@castellan/testkit';
import type { HDAccount } from 'viem/accounts';
import { createVault, creation, fundUpkeep, person, price, who } from '../../packages/protocol/test/test-chain.ts';
import { aiDefinition } from '../../services/ai/src/compose.ts';
import { loadConfig as aiConfig } from '../../services/ai/src/config.ts';
import { compose as composeAnalytics } from '../../services/analytics/src/compose.ts';
import { loadConfig as analyticsConfig } from '../../services/analytics/src/config.ts';
import { authDefinition } from '../../services/auth/src/compose.ts';
import { loadConfig as authConfig } from '../../services/auth/src/config.ts';
import { gatewayDefinition } from '../../services/gateway/src/compose.ts';
import { loadConfig as gatewayConfig } from '../../services/gateway/src/config.ts';
import { compose as composeUsers } from '../../services/users/src/compose.ts';
import { loadConfig as usersConfig } from '../../services/users/src/config.ts';
import { vaultsDefinition } from '../../services/vaults/src/compose.ts';
import type { VaultsConfig } from '../../services/vaults/src/config.ts';
import { chain_id, VaultsSystem } from '../../services/vaults/test/harness.ts';

/** Who calls. The removed one was a secondary manager of the vault, the other is the primary manager of another vault. */
export const wallets = {
  primary: person(1),
  secondary: person(2),
  viewer: person(30),
  removed: person(31),
  other: person(32),
  stranger: person(50),
} as const;

/** What seals the signing keys in the store. */
export const keySecret = 'a secret of at least thirty-two characters';

/** For services that start: their calls are refused at first, and are tried again only after a while. */
const startMs = 180_000;

type Restartable = 'auth' | 'users' | 'analytics' | 'ai' | 'gateway';

/** All services but the validators and the keeper, as they are composed, in this process, on a chain with two vaults. */
export class World {
  readonly #undo: (() => Promise<unknown>)[] = [];
  readonly running: Partial<Record<Restartable, RunningService>> = {};
  #definitions!: Record<Restartable, ServiceDefinition>;
  vaults!: VaultsSystem;
  /** Of the gateway, and the issuer of its tokens. */
  origin!: string;
  /** Of the service that agents and the gateway's websockets reach. */
  chatOrigin!: string;

  static async start(): Promise<World> {
    const world = new World();
    try {
      await world.#start();
    } catch (error) {
      await world.stop();
      throw error;
    }
    return world;
  }

  async stop(): Promise<void> {
    for (const undo of this.#undo.splice(0).reverse()) await undo();
  }

  get vault() {
    return { chain_id, vault_address: this.vaults.protocol.vault.address };
  }

  async #start(): Promise<void> {
    this.vaults = await VaultsSystem.start(async (chain, protocol) => {
      const { aggregator, strategy, asset } = protocol;
      const change = (name: string) =>
        chain.send(who.main, aggregator, name, [strategy.address, wallets.removed.address]);
      await change('addSecondaryManager');
      await change('removeSecondaryManager');
      const theirs = creation(asset.address, { mainManager: wallets.other.address, secondaryManagers: [] });
      const second = await createVault(chain, aggregator, { ...theirs, name: 'Another', symbol: 'oUSDC' });
      await fundUpkeep(chain, { ...protocol, ...second }, 10n ** 18n);
      await price(chain, protocol, 1_000_000n);
    });
    this.#undo.push(() => this.vaults.stop());
    const port = await freePort();
    const chatPort = await freePort();
    this.origin = `http://127.0.0.1:${port}`;
    this.chatOrigin = `http://127.0.0.1:${chatPort}`;
    this.#definitions = this.#define(port, chatPort);
    for (const name of Object.keys(this.#definitions) as Restartable[]) {
      this.running[name] = await startService(this.#definitions[name]);
      this.#undo.push(async () => this.running[name]?.stop());
    }
    await until('every service answers through the gateway', () => this.#isUp(), startMs);
  }

  /** Starts a service anew, which reads its store again. @returns once it answers through the gateway. */
  async restart(name: Restartable): Promise<void> {
    await this.running[name]?.stop();
    this.running[name] = await startService(this.#definitions[name]);
    await until(`${name} answers again through the gateway`, () => this.#isUp(), startMs);
  }

  /** Ends all services and starts them on databases of another name and on another bus, over the same chain. */
  async move(to: Pick<VaultsConfig, 'nats'> & { database: string }): Promise<void> {
    const { vaults, running } = this;
    for (const name of Object.keys(running) as Restartable[]) await running[name]?.stop();
    await vaults.service.stop();
    vaults.config = { ...vaults.config, nats: to.nats, mongo: { ...vaults.config.mongo, database: to.database } };
    vaults.service = await startService(vaultsDefinition(vaults.config));
    this.#undo.push(() => vaults.service.stop());
    this.#definitions = this.#define(Number(new URL(this.origin).port), Number(new URL(this.chatOrigin).port));
    for (const name of Object.keys(running) as Restartable[])
      running[name] = await startService(this.#definitions[name]);
    await until('every service answers through the gateway', () => this.#isUp(), startMs);
  }

  /** The database of a service. */
  databaseOf(service: Restartable | 'vaults'): string {
    const { database } = this.vaults.config.mongo;
    return service === 'vaults' ? database : `${database}_${service}`;
  }

  #define(port: number, chatPort: number): Record<Restartable, ServiceDefinition> {
    const { nats, mongo } = this.vaults.config;
    const environment = (service: ServiceName) => ({
      ...testKeysEnv(service),
      NODE_ENV: 'test',
      LOG_LEVEL: 'silent',
      NATS_URL: nats.url,
      NATS_NAMESPACE: nats.namespace,
      MONGODB_URI: mongo.uri,
      MONGODB_DATABASE: this.databaseOf(service as Restartable),
      MONITORING_PORT: '0',
      PUBLIC_URL: this.origin,
      CHAINS: this.#chains(),
      SHUTDOWN_GRACE_SECONDS: '5',
    });
    const users = usersConfig({
      ...environment('users'),
      NOTIFICATIONS_KEY: '7'.repeat(64),
      ALERT_SAMPLE_SECONDS: '3600',
    });
    const much = '1000000';
    const gateway = gatewayConfig({
      ...environment('gateway'),
      HTTP_PORT: String(port),
      AI_HTTP_URL: this.chatOrigin,
      STREAMS_PER_CALLER: '1000',
      RATE_API_PER_SECOND: much,
      RATE_API_BURST: much,
      RATE_PREPARE_PER_SECOND: much,
      RATE_IDP_PER_MINUTE: much,
    });
    const auth = {
      ...environment('auth'),
      AUTH_KEY_SECRET: keySecret,
      NONCES_PER_MINUTE: '1000',
      SIGN_IN_ATTEMPTS_PER_MINUTE: '1000',
    };
    return {
      auth: authDefinition(authConfig(auth)),
      users: {
        name: 'users',
        config: users.base,
        streams: [
          DirectoryStream,
          AuditStream,
          ChainStream,
          UpdateStream,
          ValidatorStream,
          AlertSignalStream,
          AlertStream,
          RoleStream,
        ],
        publishes: [ViewOnlyChanged, DisplayNameChanged, VaultUpdated, AlertChanged],
        build: (context) => composeUsers(context, users),
      },
      analytics: {
        name: 'analytics',
        config: analyticsConfig(environment('analytics')).base,
        streams: [ChainStream, FiguresStream, ProjectionStream],
        build: composeAnalytics(100_000_000),
      },
      ai: aiDefinition(aiConfig({ ...environment('ai'), AI_HTTP_PORT: String(chatPort), AI_MCP_PER_MINUTE: much })),
      gateway: gatewayDefinition(gateway),
    };
  }

  /** As the vaults service was given them, for the service that asks contracts of wallets. */
  #chains(): string {
    const { governor, aggregator, oracle } = this.vaults.protocol;
    return JSON.stringify([
      {
        chain_id,
        slug: 'anvil',
        name: 'Anvil',
        rpc_urls: [this.vaults.chain.anvil.rpcUrl],
        start_block: 0,
        governor: governor.address,
        aggregator: aggregator.address,
        pps_oracle: oracle.address,
        block_time_seconds: 0.5,
        confirmations: 1,
        observation_cadence_seconds: 15,
      },
    ]);
  }

  async #isUp(): Promise<boolean> {
    const { chain_id: chain, vault_address: vault } = this.vault;
    const paths = ['/.well-known/jwks.json', '/api/v1/chains', `/api/v1/vaults/${chain}/${vault}`];
    const token = await this.signIn(wallets.primary).catch(() => undefined);
    if (token === undefined) return false;
    const asked = [...paths, `/api/v1/users?chain_id=${chain}&vault_address=${vault}`, '/api/v1/auth/me'].concat(
      `/api/v1/analytics/overview?chain_id=${chain}&vault_address=${vault}`,
      `/api/v1/feed?chain_id=${chain}&vault_address=${vault}`,
    );
    const answers = await Promise.all(
      asked.map((path) => fetch(`${this.origin}${path}`, { headers: { authorization: `Bearer ${token}` } })),
    );
    return answers.every(({ status }) => status < 500);
  }

  /** Signs in by EIP-712. @returns the token of a new session. */
  async signIn(wallet: HDAccount): Promise<string> {
    const client = createClient({ baseUrl: this.origin });
    const { typed_data } = await client.createNonce({ body: { address: wallet.address, chain_id } });
    const signature = await wallet.signTypedData(typed_data as Parameters<typeof wallet.signTypedData>[0]);
    return (await client.createToken({ body: { method: 'eip712', typed_data, signature } })).access_token;
  }
}
