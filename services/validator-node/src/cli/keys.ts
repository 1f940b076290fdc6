import { keyNameFault } from '@castellan/signer';
import {
  keysOf,
  newSecret,
  openBundle,
  openForeign,
  type RemoteNames,
  type Role,
  readPassword,
  remoteRoles,
  roles,
  type Secrets,
  writeBundle,
} from '../keys/bundle.ts';
import { checkRegistration, type Registration, registrationOf } from '../keys/registration.ts';
import {
  type Command,
  jsonOption,
  jsonText,
  type OptionSpec,
  type Options,
  required,
  text,
  UsageError,
  type World,
} from './world.ts';

const bundleOptions = {
  out: { type: 'string', value: 'FILE', about: 'the key bundle; in a folder of its own, mode 700' },
  'password-file': {
    type: 'string',
    value: 'FILE',
    about: 'file with the password of the bundle, mode 600 (or VALIDATOR_KEYS_PASSWORD_FILE)',
  },
} as const satisfies OptionSpec;

const remoteOptions = {
  onchain: {
    type: 'string',
    value: 'KEY',
    about: 'key of a key service that signs prices (SERVICE:NAME), not in the bundle',
  },
  transmitter: {
    type: 'string',
    value: 'KEY',
    about: 'key of a key service that pays for transmissions, not in the bundle',
  },
} as const satisfies OptionSpec;

function remoteOf(options: Options): RemoteNames {
  const named = remoteRoles.flatMap((role) => {
    const name = text(options, role);
    const fault = name === undefined ? null : keyNameFault(name);
    if (fault !== null) throw new UsageError(`--${role} must be ${fault}.`);
    return name === undefined ? [] : [[role, name]];
  });
  return Object.fromEntries(named);
}

const passwordOf = async ({ env }: World, options: Options): Promise<string> => {
  const file = text(options, 'password-file') ?? env.VALIDATOR_KEYS_PASSWORD_FILE;
  if (!file)
    throw new UsageError('--password-file is missing. A password on the command line could be read by others.');
  return readPassword(file);
};

const fresh = ({ now, scryptCost }: World) => ({
  replace: false,
  createdAt: new Date(now()),
  ...(scryptCost && { cost: scryptCost }),
});

const nameOf = (options: Options): string => {
  const name = required(options, 'name');
  if (!/^.{1,63}$/.test(name)) throw new UsageError('--name must be 1 to 63 characters.');
  return name;
};

/** The public parts of what was written: all of them as JSON, or the addresses and what to do now. */
function written({ out }: World, { json }: Options, path: string, registration: Registration, next: string): void {
  const { ethereum_address, transmitter_address } = registration;
  if (json) out(jsonText({ bundle: path, ...registration }));
  else out(`${path} written\nsigner      ${ethereum_address}\ntransmitter ${transmitter_address}\n${next}\n`);
}

/** With new keys for what neither is given nor with a key service. */
function completed(given: Partial<Secrets>, remote: RemoteNames): Secrets {
  const { offchain = newSecret('offchain'), ...more } = given;
  const made = remoteRoles
    .filter((role) => remote[role] === undefined)
    .map((role) => [role, more[role] ?? newSecret(role)] as const);
  return { offchain, ...Object.fromEntries(made) };
}

const generate: Command = {
  name: 'keys generate',
  options: {
    name: { type: 'string', value: 'NAME', about: 'name of the validator' },
    ...remoteOptions,
    ...bundleOptions,
    ...jsonOption,
  },
  async run(world, options) {
    const path = required(options, 'out');
    const name = nameOf(options);
    const password = await passwordOf(world, options);
    const remote = remoteOf(options);
    const secrets = completed({}, remote);
    const keys = await keysOf(secrets, remote);
    await writeBundle(secrets, { path, name, password, ...fresh(world) });
    const next = 'Back it up now, apart from its password. Then: keys export';
    written(world, options, path, registrationOf(name, keys), next);
    return 0;
  },
};

const exportPublic: Command = {
  name: 'keys export',
  options: {
    bundle: { type: 'string', value: 'FILE', about: 'the key bundle' },
    'password-file': bundleOptions['password-file'],
    ...remoteOptions,
  },
  async run(world, options) {
    const { name, secrets } = await openBundle(required(options, 'bundle'), await passwordOf(world, options));
    const registration = registrationOf(name, await keysOf(secrets, remoteOf(options)));
    const checks = checkRegistration(registration);
    for (const { what, ok } of checks) world.err(`${ok ? 'ok  ' : 'FAIL'} ${what}\n`);
    if (!checks.every(({ ok }) => ok)) return 1;
    world.out(`${JSON.stringify(registration, null, 2)}\n`);
    return 0;
  },
};

const isRole = (role: string): role is Role => (roles as readonly string[]).includes(role);

const importKey: Command = {
  name: 'keys import',
  options: {
    name: { type: 'string', value: 'NAME', about: 'name of the validator; default: that of --bundle' },
    bundle: { type: 'string', value: 'FILE', about: 'another bundle to take the keys from that --key does not give' },
    key: {
      type: 'string',
      value: 'ROLE=FILE',
      multiple: true,
      about: `a keystore file for one key (${roles.join(', ')}); repeatable`,
    },
    'from-password-file': {
      type: 'string',
      value: 'FILE',
      about: 'file with the password of what is imported; default: --password-file',
    },
    ...remoteOptions,
    ...bundleOptions,
    ...jsonOption,
  },
  async run(world, options) {
    const path = required(options, 'out');
    const password = await passwordOf(world, options);
    const remote = remoteOf(options);
    const foreign = text(options, 'from-password-file');
    const given = { password: foreign === undefined ? password : await readPassword(foreign) };
    const source = text(options, 'bundle');
    const base = source === undefined ? undefined : await openBundle(source, given.password);
    const secrets: Partial<Secrets> = { ...base?.secrets };
    const keys = (options.key as readonly string[] | undefined) ?? [];
    if (!base && keys.length === 0) throw new UsageError('Nothing to import: give --bundle or --key.');
    for (const entry of keys) {
      const [role = '', ...file] = entry.split('=');
      if (!isRole(role) || file.length === 0)
        throw new UsageError(`--key ${entry}: expected one of ${roles.join(', ')}, = and a file.`);
      secrets[role] = await openForeign(file.join('='), role, given.password);
    }
    const name = base && text(options, 'name') === undefined ? base.name : nameOf(options);
    const whole = completed(secrets, remote);
    const signers = await keysOf(whole, remote);
    await writeBundle(whole, { path, name, password, ...fresh(world) });
    const next = 'Never run one key on two hosts: move the sign guard along (docs/validator-keys.md).';
    written(world, options, path, registrationOf(name, signers), next);
    return 0;
  },
};

export const keyCommands: readonly Command[] = [generate, exportPublic, importKey];
