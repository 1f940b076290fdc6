import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { devnetNetworks } from '@castellan/devnet';
import { natsServerCommand } from '@castellan/embedded/nats';
import { bundleServices } from '../bundle/bundle.ts';
import { claimStateDir, runsAlready } from './claim.ts';
import { DevLoop } from './dev/dev-loop.ts';
import { devPortUses, webPortOf, webSpec } from './dev/dev-specs.ts';
import { stopLeftovers } from './leftovers.ts';
import { type Options, readOptions, usage } from './options.ts';
import { requireFreePorts, requireUsablePorts } from './ports.ts';
import { Progress } from './progress.ts';
import { busCredentials, closeToOthers, sealingKeys } from './secrets.ts';
import { writeServiceKeys } from './service-keys.ts';
import { storeUserSpecs, writeStoreUsers } from './store-users.ts';
import { summary } from './summary.ts';
import { type ProcessSpec, Supervisor } from './supervisor.ts';
import {
  type Bundles,
  chainReadyWithinMs,
  deploymentFile,
  devnetSpec,
  keysFolder,
  localChains,
  natsSpec,
  needsDeployment,
  portsOf,
  portUses,
  readyFile,
  type Settings,
  servesWeb,
  serviceSpecs,
  stopLast,
  storeSpec,
  validatorSpecs,
  waitsForDeployment,
} from './system.ts';
import { busAccounts, oracleUsers, writeValidatorConfigs } from './validators.ts';
import { buildWeb } from './web-build.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

// What is made here, and by the processes that are started from here, is this user's alone.
process.umask(0o077);

const ownPortsOf = (options: Options) => [
  ...portUses(portsOf(options), options, { nats: !process.env.NATS_URL, store: !process.env.MONGODB_URI }),
  ...(options.dev ? devPortUses(options.portOffset) : []),
];

const publicUrlOf = (options: Options): string =>
  process.env.PUBLIC_URL || `http://127.0.0.1:${portsOf(options).gateway}`;

/** The store of MONGODB_URI with the user it names, or our own with a user for each process. */
function storeAccess(options: Options): Settings['store'] {
  const { MONGODB_URI: given, MONGODB_DATABASE: database } = process.env;
  if (given) return { uriOf: () => given, usersFile: undefined };
  const { store, validators } = portsOf(options);
  const indexes = validators.map(({ index }) => index);
  return writeStoreUsers(options.stateDir, store, storeUserSpecs(indexes, database));
}

async function prepare(options: Options): Promise<Settings> {
  const leftovers = await stopLeftovers(options.stateDir);
  if (leftovers.length > 0)
    process.stdout.write(`Stopped what an earlier start left running: ${leftovers.join(', ')}.\n`);
  if (options.fresh) {
    for (const part of [
      ...devnetNetworks.map(({ slug }) => slug),
      'store',
      'nats',
      'validators',
      'logs',
      'demo-viewer',
    ])
      rmSync(join(options.stateDir, part), { recursive: true, force: true });
  }
  closeToOthers(options.stateDir);
  const ports = portsOf(options);
  await requireFreePorts(ownPortsOf(options));
  writeServiceKeys(keysFolder(options));
  const natsUrl = process.env.NATS_URL || `nats://127.0.0.1:${ports.nats}`;
  return {
    root,
    options,
    ports,
    natsUrl,
    // A bus that runs elsewhere has users of its own, named in the URL.
    bus: process.env.NATS_URL ? undefined : busCredentials(options.stateDir, natsUrl, oracleUsers),
    store: storeAccess(options),
    publicUrl: publicUrlOf(options),
    ...sealingKeys(options.stateDir),
  };
}

/** Starts what can run anew at any time. In the development loop one that fails is shown and waits for the next change. */
async function startOne(spec: ProcessSpec): Promise<void> {
  if (!loop) return supervisor.start(spec);
  await supervisor.start(loop.prepare(spec)).catch((error: Error) => {
    if (supervisor.isRunning(spec.name)) progress.note(error.message);
  });
}

/** Starts what holds state. In the development loop a change does not restart it. */
const startKept = (spec: ProcessSpec): Promise<void> => supervisor.start(loop?.prepare(spec, { isKept: true }) ?? spec);

/** Services start from their bundles; the gateway alone serves the web. */
type Built = { bundles: Promise<Bundles>; web: Promise<unknown> };

/** In the development loop everything runs from its sources; else web and services are built, unless they are as they were. */
function build(settings: Settings): Built {
  if (settings.options.dev) return { bundles: Promise.resolve(undefined), web: startOne(webSpec(settings)) };
  const bundling = bundleServices(root, join(root, 'node_modules/.cache/castellan/services'));
  return { bundles: bundling.then(({ folder }) => folder), web: buildWeb(root) };
}

async function startBus({ options, ports, bus }: Settings): Promise<void> {
  const command = await natsServerCommand({
    port: ports.nats,
    dataDir: join(options.stateDir, 'nats'),
    stateDir: options.stateDir,
    accounts: busAccounts(),
    log: (line: string) => progress.note(line),
  });
  await supervisor.start(natsSpec(command, { ports, bus }));
}

type Waits = {
  chain: Promise<void>;
  /** The web is built. */
  web: Promise<unknown>;
  /** A system ran here before: what services wait for of each other is there. */
  isRestart: boolean;
};

/** Those that read the chain wait for it themselves, and load meanwhile: the making of its history is part of their time. */
const startBesideHistory = (spec: ProcessSpec): Promise<void> =>
  startOne({ ...spec, readyWithinMs: spec.readyWithinMs + chainReadyWithinMs });

/** At a restart all services but one start at once, at a first start those that wait for nothing of it. The validators follow the chain. */
async function startServices(settings: Settings, bundles: Bundles, { chain, web, isRestart }: Waits): Promise<void> {
  const services = serviceSpecs(settings, bundles);
  const start = async (spec: ProcessSpec, how = startOne) => {
    if (servesWeb(spec)) await web;
    await how(spec);
  };
  const isLate = isRestart ? needsDeployment : waitsForDeployment;
  const early = services.filter((spec) => !isLate(spec));
  await Promise.all([
    ...early.map((spec) => start(spec, isRestart ? startOne : startBesideHistory)),
    chain.then(async () => {
      progress.step('Starting the services');
      if (settings.options.devnet) writeValidatorConfigs({ ...settings, chains: localChains(settings.options) });
      const validators = settings.options.devnet ? validatorSpecs(settings, bundles) : [];
      const others = services.filter((spec) => !early.includes(spec));
      await Promise.all([...others, ...validators].map((spec) => start(spec)));
    }),
  ]);
}

/** Bus, store, chain and what is built side by side; then each service as soon as there is what it needs. */
async function startAll(settings: Settings): Promise<void> {
  const { options } = settings;
  loop?.watch(supervisor);
  const locals = localChains(options);
  const isRestart = locals.length > 0 && locals.every((local) => existsSync(deploymentFile(local)));
  // A devnet that was killed has left it behind.
  for (const local of locals) rmSync(readyFile(local), { force: true });
  const chain = Promise.all(
    locals.map((local) => startKept(devnetSpec(settings, local, (line) => progress.fromDevnet(line)))),
  ).then(() => undefined);
  const { bundles: bundling, web } = build(settings);
  const foundations = Promise.all([
    bundling,
    process.env.MONGODB_URI ? undefined : startKept(storeSpec(settings)),
    process.env.NATS_URL ? undefined : startBus(settings),
  ]);
  const services = foundations.then(([bundles]) => startServices(settings, bundles, { chain, web, isRestart }));
  await Promise.all([chain, web, services]);
  if (!options.devnet) return;
  const granting = grantDemoViewerOnce(settings);
  // Without the services that failed it cannot succeed, and it is tried at the next start.
  await (loop ? granting.catch((error: Error) => progress.note(error.message)) : granting);
}

/** Once for each store: what a manager takes back later stays so, and a restart is ready earlier. */
async function grantDemoViewerOnce({ options, publicUrl }: Settings): Promise<void> {
  const mark = join(options.stateDir, 'demo-viewer');
  if (existsSync(mark)) return;
  const { grantDemoViewer } = await import('./demo-viewer.ts');
  await grantDemoViewer(publicUrl);
  writeFileSync(mark, '');
}

const options = (() => {
  try {
    const read = readOptions(process.argv.slice(2), root, process.env);
    // Before anything of an earlier start is touched.
    if (read !== 'help') requireUsablePorts(ownPortsOf(read));
    return read;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
})();
if (options === 'help') {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}

// Before a supervisor is made: one that ends writes the list of processes anew.
const running = await claimStateDir(options.stateDir, publicUrlOf(options));
if (running) {
  process.stderr.write(runsAlready(options.stateDir, running));
  process.exit(1);
}

const startedAt = performance.now();
const progress = new Progress(process.stdout);
const say = (line: string) => progress.note(line);
const loop = options.dev ? new DevLoop({ root, options }, say) : undefined;
const supervisor = new Supervisor({
  stateDir: options.stateDir,
  say,
  ...(loop && { onFailure: (failure) => loop.onFailure(failure) }),
});
let stopped: Promise<void> | undefined;
const stop = (code: number) => {
  if (stopped) return;
  progress.note('Stopping ...');
  loop?.close();
  stopped = supervisor.stop(stopLast).then(() => process.exit(code));
};
process.on('SIGINT', () => stop(0));
process.on('SIGTERM', () => stop(0));
process.on('SIGHUP', () => stop(0));
// A program that started this with a channel has ended, perhaps by a signal that it could not pass on.
process.on('disconnect', () => stop(1));

try {
  const settings = await prepare(options);
  await startAll(settings);
  progress.end();
  const web = loop && `http://127.0.0.1:${webPortOf(options.portOffset)}`;
  process.stdout.write(summary(settings, (performance.now() - startedAt) / 1000, web));
  if (loop) process.stdout.write(`\n  Debuggers (node --inspect)\n${loop.inspectPorts()}\n`);
} catch (error) {
  if (!stopped) {
    progress.end();
    process.stderr.write(`${(error as Error).message}\n`);
    stop(1);
  }
}
