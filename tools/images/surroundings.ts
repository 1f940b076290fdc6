import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { passwordVariableOf } from '@castellan/service-kit';
import { deploySecrets } from '../castellan/secrets.ts';
import type { Options } from '../start/options.ts';
import { writeServiceKeys } from '../start/service-keys.ts';
import { storeUserSpecs, writeStoreUsers } from '../start/store-users.ts';
import type { ProcessSpec } from '../start/supervisor.ts';
import {
  devnetKeeperKey,
  devnetSpec,
  keysFolder,
  localChains,
  natsSpec,
  portsOf,
  type Settings,
  storeSpec,
} from '../start/system.ts';
import { oracleUsers, validatorAccount } from '../start/validators.ts';

const random = () => randomBytes(32).toString('hex');

/** The folder with the secrets that docker-compose.yml mounts, for bus and store on this machine. */
function writeSecrets(options: Options, uriOf: (user: string) => string): string {
  const folder = join(options.stateDir, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Services that run from this checkout beside the images prove their calls by the same keys.
  if (!existsSync(keysFolder(options))) symlinkSync(join(folder, 'service-keys'), keysFolder(options));
  if (existsSync(join(folder, 'nats.env'))) return folder;
  for (const [name, text] of Object.entries(deploySecrets(random))) {
    const user = /^mongodb-uri-(?!exporter)(.+)$/.exec(name)?.[1];
    const here = user ? uriOf(user) : text.replace('@nats:4222', `@127.0.0.1:${portsOf(options).nats}`);
    writeFileSync(join(folder, name), here, { mode: 0o600 });
  }
  writeFileSync(join(folder, 'keeper-private-key'), devnetKeeperKey(), { mode: 0o600 });
  writeServiceKeys(join(folder, 'service-keys'));
  return folder;
}

/** The shipped configuration of the bus, on a port of its own. */
function busCommand(root: string, options: Options) {
  const { nats } = portsOf(options);
  const shipped = join(root, 'deploy/nats');
  const text = readFileSync(join(shipped, 'nats.conf'), 'utf8')
    .replace('listen: 0.0.0.0:4222', `listen: 127.0.0.1:${nats}`)
    .replace(/^http: .*$/m, '')
    .replace('/data', join(options.stateDir, 'nats'));
  for (const name of ['tls.conf', 'castellan.conf'])
    writeFileSync(join(options.stateDir, name), readFileSync(join(shipped, name)));
  // The one that is shipped has no users: an operator makes them of the keys of a network.
  writeFileSync(join(options.stateDir, 'validators.conf'), validatorAccount());
  const file = join(options.stateDir, 'nats.conf');
  writeFileSync(file, text);
  return { command: 'nats-server', args: ['-c', file] };
}

/** What services need around them: the bus with the accounts that are shipped, a store with a user for each, a local chain. */
export function surroundings(
  root: string,
  options: Options,
): { specs: ProcessSpec[]; secrets: string; settings: Settings } {
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const ports = portsOf(options);
  const validators = ports.validators.map(({ index }) => index);
  const store = writeStoreUsers(options.stateDir, ports.store, storeUserSpecs(validators, undefined));
  const secrets = writeSecrets(options, store.uriOf);
  const ofServices = Object.fromEntries(
    readFileSync(join(secrets, 'nats.env'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('=') as [string, string]),
  );
  const passwords = {
    ...ofServices,
    ...Object.fromEntries(oracleUsers.map((user) => [passwordVariableOf(user), `pw${random()}`])),
  };
  const passwordOf = (user: string) => String(passwords[passwordVariableOf(user)]);
  const settings: Settings = {
    root,
    options,
    ports,
    natsUrl: `nats://127.0.0.1:${ports.nats}`,
    store,
    publicUrl: `http://127.0.0.1:${ports.gateway}`,
    bus: { passwords, passwordOf, urlFileOf: (user) => join(secrets, `nats-url-${user}`) },
    authKeySecret: join(secrets, 'auth-key-secret'),
    notificationsKey: join(secrets, 'notifications-key'),
  };
  const chains = localChains(options).map((local) => ({
    ...devnetSpec(settings, local, () => undefined),
    readyWithinMs: 900_000,
  }));
  const specs = [natsSpec(busCommand(root, options), settings), storeSpec(settings), ...chains];
  return { specs, secrets, settings };
}
