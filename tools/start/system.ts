import { join } from 'node:path';
import { account, addressOf, cast, type DevnetNetwork, devnetNetworks, devnetValidators } from '@castellan/devnet';
import { toHex } from 'viem';
import { bundledPath, preload } from '../bundle/programs.ts';
import { compileCacheIn } from './compile-cache.ts';
import { demoWallets } from './demo-wallets.ts';
import { monitoringPorts } from './monitoring-ports.ts';
import type { Options } from './options.ts';
import type { PortUse } from './ports.ts';
import { answersOk, answersTcp } from './probes.ts';
import type { BusCredentials } from './secrets.ts';
import { serviceKeysEnv } from './service-keys.ts';
import type { ProcessSpec } from './supervisor.ts';
import { validatorFolder } from './validators.ts';

export type Ports = ReturnType<typeof portsOf>;

/** The house's port table, shifted by `--port-offset`. */
export const portsOf = ({ portOffset: by, gatewayPort }: Options) => ({
  gateway: gatewayPort,
  chat: 8081 + by,
  /** Where a receiver of webhooks may listen, for whom wants to try them. We open none. */
  webhooks: 8090 + by,
  /** Of each local chain that can be started, in their order. */
  rpc: devnetNetworks.map((_network, index) => 8545 + index + by),
  nats: 4222 + by,
  store: 27017 + by,
  monitoring: monitoringPorts(by),
  validators: devnetValidators.map(({ index }) => ({ index, metrics: 9190 + index + by, health: 9290 + index + by })),
});

export const portUses = (ports: Ports, options: Options, own: { store: boolean; nats: boolean }): PortUse[] => {
  const shift = '--port-offset';
  const http = (port: number, usedBy: string, changedBy = shift) => ({ port, usedBy, changedBy, speaksHttp: true });
  const tcp = (port: number, usedBy: string, changedBy: string) => ({ port, usedBy, changedBy, speaksHttp: false });
  return [
    http(ports.gateway, 'web and API', '--port'),
    http(ports.chat, 'chat'),
    ...localChains(options, ports).map(({ network, port }) => http(port, `chain ${network.chainId}`)),
    ...(own.nats ? [tcp(ports.nats, 'NATS', `${shift}, or set NATS_URL`)] : []),
    ...(own.store ? [tcp(ports.store, 'document store', `${shift}, or set MONGODB_URI`)] : []),
    ...Object.entries(ports.monitoring).map(([name, port]) => http(port, `${name} metrics`)),
    ...(options.devnet
      ? ports.validators.flatMap(({ index, metrics, health }) => [
          http(metrics, `validator ${index} metrics`),
          http(health, `validator ${index} health`),
        ])
      : []),
  ];
};

/** A local chain that is started, and its folder in the state folder. */
export type LocalChain = { readonly network: DevnetNetwork; readonly port: number; readonly folder: string };

/** The local chains of a start, in their order; none with `--no-devnet`. */
export const localChains = (options: Options, ports: Pick<Ports, 'rpc'> = portsOf(options)): LocalChain[] =>
  devnetNetworks.slice(0, options.devnet ? options.chains : 0).map((network, index) => ({
    network,
    port: ports.rpc[index] as number,
    folder: join(options.stateDir, network.slug),
  }));

/** Where the contracts are of a chain that is stored; beside it, the same while the chain runs and can be used. */
export const deploymentFile = ({ folder }: Pick<LocalChain, 'folder'>): string => join(folder, 'deployment.json');
export const readyFile = ({ folder }: Pick<LocalChain, 'folder'>): string => join(folder, 'ready');

export const rpcUrlOf = ({ port }: LocalChain): string => `http://127.0.0.1:${port}`;

export type Settings = {
  readonly root: string;
  readonly options: Options;
  readonly ports: Ports;
  readonly natsUrl: string;
  /** The store: the URI of each process's user, and the file of users where the store is ours. */
  readonly store: { readonly uriOf: (user: string) => string; readonly usersFile: string | undefined };
  readonly publicUrl: string;
  /** Users of the bus that this starts; absent where NATS_URL names another. */
  readonly bus: BusCredentials | undefined;
  /** The file of what wraps the identity provider's signing keys; made once, kept in the state folder. */
  readonly authKeySecret: string;
  /** The file of what seals channels of notifications. */
  readonly notificationsKey: string;
};

/** Where services and validators are started from: the folder of their bundles; undefined for their sources. */
export type Bundles = string | undefined;

/** What Node runs of a program of this repository, traced. */
const programArgs = (root: string, bundles: Bundles, program: string): string[] => {
  const pathOf = (file: string) => (bundles === undefined ? join(root, file) : join(bundles, bundledPath(file)));
  return ['--import', pathOf(preload), pathOf(program)];
};

const compileCache = (root: string) => ({ NODE_COMPILE_CACHE: compileCacheIn(root) });

/**
 * How large each of the three spaces for young objects may grow. V8 goes by the machine's memory, 64 MB where there are 24 GB, and what
 * a process allocated when it started is enough to get there; an idle one needs 4.
 */
const youngSpace = (mebibytes: number) => ({
  NODE_OPTIONS: `--max-semi-space-size=${mebibytes} ${process.env.NODE_OPTIONS ?? ''}`.trim(),
});
const smallHeap = youngSpace(4);

/** How a process reaches the bus: as its own user. */
const busEnv = ({ bus, natsUrl }: Settings, user: string): Record<string, string> =>
  bus ? { NATS_URL_FILE: bus.urlFileOf(user) } : { NATS_URL: natsUrl };

const commonEnv = ({ root, options }: Settings): Record<string, string> => ({
  NODE_ENV: process.env.NODE_ENV ?? 'development',
  PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
  ...compileCache(root),
  ...smallHeap,
  ...(options.devnet
    ? {
        // Those that read the chain wait for it.
        DEVNET_DEPLOYMENT_FILE: localChains(options).map(readyFile).join(','),
        DEVNET_RPC_URL: localChains(options).map(rpcUrlOf).join(','),
      }
    : {}),
});

/** Where the keys are by which services prove their calls. */
export const keysFolder = ({ stateDir }: Pick<Options, 'stateDir'>): string => join(stateDir, 'service-keys');

const serviceSpec = (
  { settings, bundles }: { settings: Settings; bundles: Bundles },
  name: 'ai' | 'analytics' | 'auth' | 'users' | 'vaults' | 'gateway' | 'keeper',
  env: Record<string, string>,
  main = `services/${name}/src/main.ts`,
): ProcessSpec => {
  const port = settings.ports.monitoring[name];
  return {
    name,
    command: process.execPath,
    args: programArgs(settings.root, bundles, main),
    env: {
      ...commonEnv(settings),
      ...busEnv(settings, name),
      ...serviceKeysEnv(keysFolder(settings.options), name),
      MONGODB_URI: settings.store.uriOf(name),
      MONITORING_PORT: String(port),
      ...env,
    },
    isReady: () => answersOk(`http://127.0.0.1:${port}/readyz`),
    readyWithinMs: 90_000,
  };
};

export const storeSpec = ({ root, options, ports, store }: Settings): ProcessSpec => ({
  name: 'store',
  command: process.execPath,
  args: [join(root, 'packages/embedded/src/store-main.ts')],
  env: {
    ...compileCache(root),
    STORE_PORT: String(ports.store),
    STORE_DATA_DIR: join(options.stateDir, 'store'),
    ...(store.usersFile && { STORE_USERS_FILE: store.usersFile }),
  },
  isReady: () => answersTcp(ports.store),
  readyWithinMs: 20_000,
});

export const natsSpec = (
  command: { command: string; args: readonly string[] },
  { ports, bus }: Pick<Settings, 'ports' | 'bus'>,
): ProcessSpec => ({
  name: 'nats',
  ...command,
  env: { ...bus?.passwords },
  isReady: () => answersTcp(ports.nats),
  readyWithinMs: 20_000,
});

/** Seconds of work, and minutes where much else computes; that it goes on is shown. */
export const chainReadyWithinMs = 600_000;

export const devnetSpec = (
  { root, options }: Settings,
  { network, port, folder }: LocalChain,
  onLine: (line: string) => void,
): ProcessSpec => {
  const ready = readyFile({ folder });
  return {
    name: network.slug,
    command: process.execPath,
    args: [join(root, 'packages/devnet/src/main.ts')],
    env: {
      ...compileCache(root),
      ...smallHeap,
      DEVNET_PORT: String(port),
      DEVNET_CHAIN_ID: String(network.chainId),
      DEVNET_STATE_DIR: folder,
      DEVNET_PRICE_INTERVAL_SECONDS: String(options.priceIntervalSeconds),
      DEVNET_SYSTEM_KEEPER: process.env.DEVNET_SYSTEM_KEEPER || 'true',
    },
    isReady: async () => (await import('node:fs')).existsSync(ready) && (await answersTcp(port)),
    readyWithinMs: chainReadyWithinMs,
    onLine,
  };
};

const demoPrimary = addressOf(demoWallets[0].index);

/** Its own process, so that the key is not where requests come in. Without a key there is none. */
const keeperSpec = (from: { settings: Settings; bundles: Bundles }): ProcessSpec[] => {
  const { KEEPER_PRIVATE_KEY, KEEPER_KEYSTORE_FILE, DEVNET_SYSTEM_KEEPER } = process.env;
  const hasKey = Boolean(KEEPER_PRIVATE_KEY || KEEPER_KEYSTORE_FILE);
  const isDevnet = from.settings.options.devnet && DEVNET_SYSTEM_KEEPER !== 'false';
  if (!hasKey && !isDevnet) return [];
  const key: Record<string, string> = hasKey ? {} : { KEEPER_PRIVATE_KEY: devnetKeeperKey() };
  return [serviceSpec(from, 'keeper', key, 'services/vaults/src/keeper/main.ts')];
};

/** Published with the local chain. */
export const devnetKeeperKey = (): string => toHex(account(cast.systemKeeper).getHdKey().privateKey as Uint8Array);

/** What others ask until they have stopped, in the order in which it stops after them. */
export const stopLast: readonly string[] = [
  'auth',
  'keeper',
  'vaults',
  ...devnetNetworks.map(({ slug }) => slug),
  'store',
  'nats',
];

/** The service that must find a deployment when it starts: one that is stored may turn out to be unusable, and is made again. */
export const needsDeployment = ({ name }: ProcessSpec): boolean => name === 'auth';

/** The same, and those that wait for the stream which it defines at its first start. */
export const waitsForDeployment = ({ name }: ProcessSpec): boolean => ['auth', 'gateway', 'ai'].includes(name);

/** The service that serves what the web's build made. */
export const servesWeb = ({ env }: ProcessSpec): boolean => env.WEB_DIST !== undefined;

const webRpcUrls = (options: Options): Record<string, string> =>
  Object.fromEntries(localChains(options).map((chain) => [chain.network.chainId, rpcUrlOf(chain)]));

/** All services. */
export const serviceSpecs = (settings: Settings, bundles: Bundles): ProcessSpec[] => {
  const from = { settings, bundles };
  const { ports, publicUrl, options, root, authKeySecret, notificationsKey } = settings;
  const { NOTIFICATIONS_KEY, NOTIFICATIONS_KEY_FILE } = process.env;
  const channelKey = NOTIFICATIONS_KEY || NOTIFICATIONS_KEY_FILE ? {} : { NOTIFICATIONS_KEY_FILE: notificationsKey };
  return [
    // On the devnet the primary manager of the demo keeps the registry of hooks, too.
    serviceSpec(from, 'vaults', options.devnet ? { REGISTRY_MAINTAINERS: demoPrimary } : {}),
    ...keeperSpec(from),
    serviceSpec(from, 'analytics', {}),
    serviceSpec(from, 'users', {
      ...channelKey,
      ...(options.devnet && { NOTIFICATIONS_TRUSTED_ORIGINS: `http://127.0.0.1:${ports.webhooks}` }),
    }),
    serviceSpec(from, 'ai', { PUBLIC_URL: publicUrl, AI_HTTP_PORT: String(ports.chat) }),
    serviceSpec(from, 'auth', {
      PUBLIC_URL: publicUrl,
      AUTH_KEY_SECRET_FILE: authKeySecret,
      // Reads it once, and asks the chain when somebody signs in.
      ...(options.devnet && { DEVNET_DEPLOYMENT_FILE: localChains(options).map(deploymentFile).join(',') }),
    }),
    serviceSpec(from, 'gateway', {
      // Under load a larger one costs less collecting; in a container of 1 GB V8 takes no more.
      ...youngSpace(16),
      PUBLIC_URL: publicUrl,
      HTTP_PORT: String(ports.gateway),
      AI_HTTP_URL: `http://127.0.0.1:${ports.chat}`,
      // The development loop serves the web from its sources.
      ...(!options.dev && { WEB_DIST: join(root, 'web/dist') }),
      // Built by `npm run docs`, whenever that is.
      DOCS_DIST: join(root, 'docs/site/dist'),
      ...(options.devnet ? { DEVNET_DEMO_WALLETS: 'true', WEB_RPC_URLS: JSON.stringify(webRpcUrls(options)) } : {}),
    }),
  ];
};

/** The validators of the devnet: all in one process, or each in its own. Files, keys, stores and ports are their own either way. */
export const validatorSpecs = (settings: Settings, bundles: Bundles): ProcessSpec[] => {
  const { options, ports, root } = settings;
  const processOf = (name: string, validators: Ports['validators']): ProcessSpec => ({
    name,
    command: process.execPath,
    args: [
      ...programArgs(root, bundles, 'services/validator-node/bin/castellan-validator.ts'),
      'run',
      ...validators.flatMap(({ index }) => ['--config', join(validatorFolder(options.stateDir, index), 'config.toml')]),
    ],
    env: { PATH: commonEnv(settings).PATH as string, ...compileCache(root), ...smallHeap },
    isReady: async () => {
      for (const { health } of validators) if (!(await answersOk(`http://127.0.0.1:${health}/readyz`))) return false;
      return true;
    },
    readyWithinMs: 90_000,
  });
  if (!options.validatorsApart) return [processOf('validators', ports.validators)];
  return ports.validators.map((validator) => processOf(`validator-${validator.index}`, [validator]));
};
