import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { natsServerCommand } from '@castellan/embedded';
import { bundleServices } from '../../tools/bundle/bundle.ts';
import { answersOk, answersTcp } from '../../tools/start/probes.ts';
import { type BusCredentials, busCredentials, sealingKeys, writeSecret } from '../../tools/start/secrets.ts';
import { writeServiceKeys } from '../../tools/start/service-keys.ts';
import { storeUserSpecs, writeStoreUsers } from '../../tools/start/store-users.ts';
import { type ProcessSpec, Supervisor } from '../../tools/start/supervisor.ts';
import {
  devnetSpec,
  keysFolder,
  type LocalChain,
  localChains,
  portsOf,
  rpcUrlOf,
  type Settings,
  serviceSpecs,
  stopLast,
  storeSpec,
  validatorSpecs,
} from '../../tools/start/system.ts';
import { busAccounts, oracleUsers, writeValidatorConfigs } from '../../tools/start/validators.ts';
import { Balancer, type Instance } from './balancer.ts';
import { BusDoor } from './bus-door.ts';
import { bundlesOf, Releases } from './releases.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const instances = [1, 2] as const;
/** What the small form has: enough to sign in, to read, to change a vault and to hear of it. */
const smallServices = ['gateway', 'auth', 'vaults', 'analytics', 'users'];

/** How the system differs from one that a person starts: see tests/system/test-system.ts. */
const environment = {
  ALERT_SAMPLE_SECONDS: '3',
  OTEL_TRACES_SAMPLER_ARG: '0',
  // The balancers look at readiness twice a second.
  SHUTDOWN_WAIT_SECONDS: '2',
  // Everybody here comes from one address.
  RATE_IDP_PER_MINUTE: '100000',
  RATE_API_PER_SECOND: '1000',
  RATE_API_BURST: '1000',
  RATE_NETWORK_MULTIPLE: '100',
};
const priceIntervalSeconds = 10;
/** For processes that all start at once, beside other work of the machine. */
const readyWithinMs = 240_000;

type PairsOptions = {
  portOffset: number;
  isWhole: boolean;
  from?: string | undefined;
  say: (line: string) => void;
};

/** Two of every service on one machine, three servers of the bus, four validators, a store and the devnet. */
export class Pairs {
  readonly stateDir = mkdtempSync(join(tmpdir(), 'castellan-soak-'));
  readonly supervisor: Supervisor;
  readonly origin: string;
  readonly rpcUrl: string;
  readonly webhookOrigin: string;
  /** The ways of an instance to the bus, by the name of its process. */
  readonly doors = new Map<string, readonly BusDoor[]>();
  readonly #settings: Settings;
  readonly #bus: BusCredentials;
  readonly #say: (line: string) => void;
  readonly #isWhole: boolean;
  readonly #chain: LocalChain;
  readonly #busServers: readonly number[];
  readonly #from: string | undefined;
  readonly #specs = new Map<string, ProcessSpec>();
  readonly #balancers: Balancer[] = [];
  #releases: Releases | undefined;

  /** @param from - A checkout of another version: instances are started as it, until they are moved to this one. */
  constructor({ portOffset, isWhole, from, say }: PairsOptions) {
    this.#say = say;
    this.#from = from;
    this.#isWhole = isWhole;
    this.#busServers = isWhole ? [0, 1, 2] : [0];
    const options = {
      fresh: false,
      devnet: true,
      chains: 1,
      dev: false,
      portOffset,
      gatewayPort: 8080 + portOffset,
      stateDir: this.stateDir,
      priceIntervalSeconds,
      validatorsApart: true,
    };
    const ports = portsOf(options);
    this.origin = `http://127.0.0.1:${ports.gateway}`;
    const [chain] = localChains(options) as [LocalChain];
    this.#chain = chain;
    this.rpcUrl = rpcUrlOf(chain);
    this.webhookOrigin = `http://127.0.0.1:${ports.webhooks}`;
    this.supervisor = new Supervisor({ stateDir: this.stateDir, say });
    writeServiceKeys(keysFolder(options));
    const natsUrl = this.#busServers.map((index) => `nats://127.0.0.1:${ports.nats + index}`).join(',');
    this.#bus = busCredentials(this.stateDir, natsUrl, oracleUsers);
    const indexes = ports.validators.map(({ index }) => index);
    this.#settings = {
      root,
      options,
      ports,
      natsUrl,
      bus: this.#bus,
      store: writeStoreUsers(this.stateDir, ports.store, storeUserSpecs(indexes, undefined)),
      publicUrl: this.origin,
      ...sealingKeys(this.stateDir),
    };
  }

  async start(): Promise<void> {
    const settings = this.#settings;
    const bundling = bundleServices(root, join(root, 'node_modules/.cache/castellan/services'));
    const former = this.#from === undefined ? undefined : bundlesOf(this.#from);
    const bus = Promise.all(this.#busServers.map(async (index) => this.#start(await this.#busServer(index))));
    await Promise.all([
      // The chain is no part of a release: it is one that both know.
      this.#start(devnetSpec({ ...settings, root: this.#from ?? root }, this.#chain, () => undefined)),
      this.#start(storeSpec(settings)),
      bus,
      bundling,
      former,
    ]);
    const { folder } = await bundling;
    const releases = new Releases(this.stateDir, folder, (await former) ?? folder);
    this.#releases = releases;
    const services = serviceSpecs(settings, folder).filter(({ name }) => this.#has(name));
    const doubled = await Promise.all(
      services.flatMap(({ name: service }) =>
        instances.map((number) => {
          const own = serviceSpecs(settings, releases.folderOf(`${service}-${number}`));
          return this.#instance(own.find(({ name }) => name === service) as ProcessSpec, number);
        }),
      ),
    );
    await this.#balance();
    const validators = this.#isWhole ? this.#validators(folder) : [];
    this.#say(`starting two of ${services.length} services and ${validators.length} validators`);
    await Promise.all([...doubled, ...validators].map((spec) => this.#start(spec)));
  }

  get services(): string[] {
    return [...new Set([...this.doors.keys()].map((name) => name.replace(/-\d$/, '')))];
  }

  get processes(): string[] {
    return [...this.#specs.keys()];
  }

  /** Reads that an instance of the gateway, or of the ai service, took and broke off, or did not begin to answer in time. */
  get askedTwice(): { broken: number; late: number } {
    const sum = (of: (balancer: Balancer) => number) => this.#balancers.reduce((all, one) => all + of(one), 0);
    return { broken: sum(({ brokenReads }) => brokenReads), late: sum(({ lateReads }) => lateReads) };
  }

  /** An instance is this version when it is started again. */
  moveToThisVersion(name: string): void {
    this.#releases?.move(name);
  }

  /** Whether a process that was started here says that it is ready. */
  isReady(name: string): Promise<boolean> {
    const spec = this.#specs.get(name);
    if (!spec) throw new Error(`${name} was not started`);
    return spec.isReady();
  }

  async stop(): Promise<void> {
    for (const door of [...this.doors.values()].flat()) door.mend();
    await this.supervisor.stop(stopLast.flatMap((name) => [name, ...instances.map((number) => `${name}-${number}`)]));
    for (const door of [...this.doors.values()].flat()) door.close();
    for (const balancer of this.#balancers) balancer.close();
  }

  forget(): void {
    if (existsSync(this.stateDir)) rmSync(this.stateDir, { recursive: true, force: true });
  }

  #start(spec: ProcessSpec): Promise<void> {
    this.#specs.set(spec.name, spec);
    return this.supervisor.start(spec);
  }

  #has(service: string): boolean {
    return this.#isWhole || smallServices.includes(service);
  }

  #validators(bundles: string): ProcessSpec[] {
    writeValidatorConfigs({ ...this.#settings, chains: [this.#chain] });
    return validatorSpecs(this.#settings, bundles).map((spec) => ({ ...spec, readyWithinMs }));
  }

  async #busServer(index: number): Promise<ProcessSpec> {
    const { ports } = this.#settings;
    const routeOf = (server: number) => ports.nats + 2_000 + server;
    const port = ports.nats + index;
    const command = await natsServerCommand({
      port,
      dataDir: join(this.stateDir, `nats-${index}`),
      stateDir: this.stateDir,
      accounts: busAccounts(),
      ...(this.#isWhole && {
        cluster: { name: 'soak', port: routeOf(index), ports: this.#busServers.map(routeOf) },
      }),
    });
    return {
      name: `nats-${index}`,
      ...command,
      env: { ...this.#bus.passwords },
      isReady: () => answersTcp(port),
      readyWithinMs: 30_000,
    };
  }

  /** An instance of a service, on ports of its own and with a way of its own to the bus. */
  async #instance(spec: ProcessSpec, number: number): Promise<ProcessSpec> {
    const name = `${spec.name}-${number}`;
    const monitoring = Number(spec.env.MONITORING_PORT) + 20 * number;
    const { gateway, chat } = this.#portsOf(number);
    return {
      ...spec,
      name,
      env: {
        ...spec.env,
        ...environment,
        NATS_STREAM_REPLICAS: String(this.#busServers.length),
        MONITORING_PORT: String(monitoring),
        NATS_URL_FILE: await this.#busUrlFile(spec.name, name),
        ...(spec.name === 'gateway' && { HTTP_PORT: String(gateway), WEB_DIST: '' }),
        ...(spec.name === 'ai' && { AI_HTTP_PORT: String(chat) }),
      },
      isReady: () => answersOk(`http://127.0.0.1:${monitoring}/readyz`),
      readyWithinMs,
    };
  }

  async #busUrlFile(user: string, name: string): Promise<string> {
    const doors = this.#busServers.map((index) => new BusDoor(this.#settings.ports.nats + index));
    this.doors.set(name, doors);
    const ports = await Promise.all(doors.map((door) => door.open()));
    const login = `${user}:${this.#bus.passwordOf(user)}@`;
    return writeSecret(
      this.stateDir,
      `nats-url-${name}`,
      ports.map((port) => `nats://${login}127.0.0.1:${port}`).join(','),
    );
  }

  #portsOf(number: number): { gateway: number; chat: number } {
    const { portOffset } = this.#settings.options;
    return { gateway: 8081 + 2 * number + portOffset, chat: 8082 + 2 * number + portOffset };
  }

  /** In front of the gateways, and of the ai service for the gateways. */
  async #balance(): Promise<void> {
    const { ports } = this.#settings;
    for (const [service, port] of [
      ['gateway', ports.gateway],
      ['chat', ports.chat],
    ] as const) {
      const monitoring = ports.monitoring[service === 'chat' ? 'ai' : 'gateway'];
      const behind = instances.map(
        (number): Instance => ({
          port: this.#portsOf(number)[service],
          readyUrl: `http://127.0.0.1:${monitoring + 20 * number}/readyz`,
        }),
      );
      const balancer = new Balancer(behind);
      await balancer.listen(port);
      this.#balancers.push(balancer);
    }
  }
}
