import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { natsServerCommand } from '@castellan/embedded';
import { grantDemoViewer } from './demo-viewer.ts';
import { stopLeftovers } from './leftovers.ts';
import { type Options, readOptions, usage } from './options.ts';
import { requireFreePorts, requireUsablePorts } from './ports.ts';
import { Progress } from './progress.ts';
import { summary } from './summary.ts';
import { Supervisor } from './supervisor.ts';
import {
  devnetSpec,
  natsSpec,
  portsOf,
  portUses,
  type Settings,
  serviceSpecs,
  storeSpec,
  validatorSpecs,
} from './system.ts';
import { writeValidatorConfigs } from './validators.ts';
import { buildWeb } from './web-build.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The secret that wraps the identity provider's signing keys: made at the first start, readable by its owner only. */
function keySecretOf(stateDir: string): string {
  const file = join(stateDir, 'auth-key-secret');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

const ownPortsOf = (options: Options) =>
  portUses(portsOf(options), options, { nats: !process.env.NATS_URL, store: !process.env.MONGODB_URI });

async function prepare(options: Options): Promise<Settings> {
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const leftovers = await stopLeftovers(options.stateDir);
  if (leftovers.length > 0)
    process.stdout.write(`Stopped what an earlier start left running: ${leftovers.join(', ')}.\n`);
  if (options.fresh) {
    for (const part of ['devnet', 'store', 'nats', 'validators', 'logs'])
      rmSync(join(options.stateDir, part), { recursive: true, force: true });
  }
  const ports = portsOf(options);
  await requireFreePorts(ownPortsOf(options));
  return {
    root,
    options,
    ports,
    natsUrl: process.env.NATS_URL || `nats://127.0.0.1:${ports.nats}`,
    mongoUri: process.env.MONGODB_URI || `mongodb://127.0.0.1:${ports.store}`,
    publicUrl: process.env.PUBLIC_URL || `http://127.0.0.1:${ports.gateway}`,
    keySecret: keySecretOf(options.stateDir),
  };
}

/** Bus, store, chain and web build side by side; then the services; then the validators. */
async function startAll(settings: Settings, supervisor: Supervisor, progress: Progress): Promise<void> {
  const { options, ports } = settings;
  const foundations: Promise<void>[] = [buildWeb(root).then(() => undefined)];
  if (!process.env.NATS_URL) {
    const command = await natsServerCommand({
      port: ports.nats,
      dataDir: join(options.stateDir, 'nats'),
      stateDir: options.stateDir,
      log: (line: string) => progress.note(line),
    });
    foundations.push(supervisor.start(natsSpec(command, ports)));
  }
  if (!process.env.MONGODB_URI) foundations.push(supervisor.start(storeSpec(settings)));
  if (options.devnet) foundations.push(supervisor.start(devnetSpec(settings, (line) => progress.fromDevnet(line))));
  await Promise.all(foundations);
  progress.step('Starting the services');
  await Promise.all(serviceSpecs(settings).map((spec) => supervisor.start(spec)));
  if (!options.devnet) return;
  writeValidatorConfigs(settings);
  await Promise.all(validatorSpecs(settings).map((spec) => supervisor.start(spec)));
  await grantDemoViewer(settings.publicUrl);
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

const startedAt = performance.now();
const progress = new Progress(process.stdout);
const supervisor = new Supervisor({ stateDir: options.stateDir, say: (line) => progress.note(line) });
let stopped: Promise<void> | undefined;
const stop = (code: number) => {
  if (stopped) return;
  progress.note('Stopping ...');
  stopped = supervisor.stop().then(() => process.exit(code));
};
process.on('SIGINT', () => stop(0));
process.on('SIGTERM', () => stop(0));
process.on('SIGHUP', () => stop(0));

try {
  const settings = await prepare(options);
  await startAll(settings, supervisor, progress);
  progress.end();
  process.stdout.write(summary(settings, (performance.now() - startedAt) / 1000));
} catch (error) {
  if (!stopped) {
    progress.end();
    process.stderr.write(`${(error as Error).message}\n`);
    stop(1);
  }
}
