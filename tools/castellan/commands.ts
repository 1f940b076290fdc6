import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  apiCommands,
  type Command,
  command,
  pathOf,
  runCommand,
  UsageError,
  type ValuesOf,
  type World,
  withCompletion,
} from '@castellan/cli';
import { thisBuild } from '@castellan/service-kit';
import { archiveChainLog, cutOf } from './archive-log.ts';
import { backUp } from './backup/backup.ts';
import { openingChannels } from './backup/channels-opened.ts';
import { type Databases, databasesOf, withStore } from './backup/databases.ts';
import type { Manifest } from './backup/records.ts';
import { checkBackup, restore } from './backup/restore.ts';
import { deadLetters } from './dead-letters.ts';
import { examine, reportOf } from './doctor/doctor.ts';
import { isProcessName, type Process, processOfFile, processOfPid, runningProcesses } from './doctor/processes.ts';
import { jsonOption, outputOf } from './output.ts';
import { readPassphrase } from './passphrase.ts';
import { releaseKeeper } from './release-keeper.ts';
import { rotateKeys } from './rotate-keys.ts';
import { exportSecrets, importSecrets } from './sealed-secrets.ts';
import { composeServers, reportOfSecrets, writeDeploySecrets } from './secrets.ts';
import { validatorCommands } from './validator.ts';
import { verifyCommands } from './verify.ts';

const fileOptions = {
  'passphrase-file': {
    value: 'FILE',
    summary: 'with the passphrase that the file is sealed with (mode 600); else CASTELLAN_BACKUP_PASSPHRASE',
  },
} as const;

const stateOption = { value: 'FOLDER', summary: 'of npm start', default: '.castellan' } as const;

const storeOptions = {
  'uri-file': {
    value: 'FILE',
    summary: 'with the URI of a user who reaches all databases; else MONGODB_URI, else the store of npm start',
  },
  database: {
    value: 'SERVICE=NAME',
    summary: 'for a service whose database is not castellan_SERVICE; may be repeated',
    multiple: true,
  },
  'state-dir': stateOption,
  ...jsonOption,
} as const;

type StoreValues = ValuesOf<typeof storeOptions>;

function uriOf(values: StoreValues, env: World['env']): string {
  const own = join(pathOf(values['state-dir'], env), 'store-users/operator.uri');
  const file = values['uri-file'] ?? env.MONGODB_URI_FILE;
  if (file) return readFileSync(pathOf(file, env), 'utf8').trim();
  if (env.MONGODB_URI) return env.MONGODB_URI;
  if (existsSync(own)) return readFileSync(own, 'utf8').trim();
  throw new UsageError(
    'No document store: name one with --uri-file or MONGODB_URI, or start the system with npm start.',
  );
}

function namesOf(values: StoreValues): Databases {
  try {
    return databasesOf(values.database);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function required(value: string | undefined, option: string, env: World['env']): string {
  if (!value) throw new UsageError(`${option} is required.`);
  return pathOf(value, env);
}

function passphraseOf(values: ValuesOf<typeof fileOptions>, env: World['env']): string {
  const file = values['passphrase-file'];
  return readPassphrase(file && pathOf(file, env), env);
}

const totalOf = ({ collections }: Manifest): string => {
  const documents = collections.reduce((sum, { documents: count }) => sum + count, 0);
  return `${documents} documents of ${collections.length} collections`;
};

const backup = command({
  path: 'backup',
  summary: 'Seals all databases, as of one moment, into a file',
  options: {
    to: { value: 'FILE', summary: 'where the backup is written; never over another file' },
    ...fileOptions,
    ...storeOptions,
  },
  run: async ({ values }, world) => {
    const { env } = world;
    const file = required(values.to, '--to', env);
    const passphrase = passphraseOf(values, env);
    const databases = namesOf(values);
    const { say, done } = outputOf(values.json, world);
    const written = await withStore(uriOf(values, env), (client) =>
      backUp({ client, databases, file, passphrase, release: thisBuild.version, now: () => new Date(), say }),
    );
    const words = `${file} holds ${totalOf(written)}, by one ${written.moment}, as backup ${written.id}.\n`;
    done({ file, ...written }, words);
    return 0;
  },
});

const restoreBackup = command({
  path: 'restore',
  summary: 'Restores a backup into empty databases',
  options: {
    from: { value: 'FILE', summary: 'the backup to restore, into empty databases only' },
    check: { summary: 'reads the backup to its end and writes nothing' },
    'notifications-key-file': {
      value: 'FILE',
      summary:
        'with --check: says of how many channels in the backup the key in it, NOTIFICATIONS_KEY, opens the secrets',
    },
    ...fileOptions,
    ...storeOptions,
  },
  run: async ({ values }, world) => {
    const { env } = world;
    const file = required(values.from, '--from', env);
    const passphrase = passphraseOf(values, env);
    const databases = namesOf(values);
    const { say, done } = outputOf(values.json, world);
    const keyFile = values['notifications-key-file'];
    if (keyFile && !values.check) throw new UsageError('--notifications-key-file goes with --check.');
    if (values.check) {
      const opening = keyFile && openingChannels(readFileSync(pathOf(keyFile, env), 'utf8').trim());
      const read = await checkBackup({ file, passphrase }, opening ? opening.reader : {});
      const { created_at, release: maker, id } = read;
      const whole = `${file} is whole: ${totalOf(read)}, as of ${created_at}, made by ${maker}, backup ${id}.\n`;
      if (!opening) {
        done({ file, ...read }, whole);
        return 0;
      }
      const { channels, opened } = opening.counted;
      done({ file, ...read, ...opening.counted }, `${whole}The key opens ${opened} of ${channels} channels.\n`);
      return opened === channels ? 0 : 1;
    }
    const restored = await withStore(uriOf(values, env), (client) =>
      restore({ client, databases, file, passphrase, now: () => new Date(), say }),
    );
    done(
      { file, ...restored },
      `Restored ${totalOf(restored)} as of ${restored.created_at}. What is next stands in docs/operations/backup.md.\n`,
    );
    return 0;
  },
});

const release = command({
  path: 'release-keeper',
  summary: 'After a restore: what the keeper had on its way; with --yes it may send again',
  options: { yes: { summary: 'the keeper may send again' }, ...storeOptions },
  run: async ({ values }, world) => {
    const { vaults: database } = namesOf(values);
    const { say, done } = outputOf(values.json, world);
    const held = await withStore(uriOf(values, world.env), (client) =>
      releaseKeeper({ client, database, isConfirmed: values.yes, now: () => new Date(), say }),
    );
    done(held, '');
    return 0;
  },
});

const rotate = command({
  path: 'keys rotate',
  summary: 'Has the identity provider make a new key for signing tokens',
  options: { reason: { value: 'TEXT', summary: 'why; the audit log has it' }, ...storeOptions },
  run: async ({ values }, world) => {
    const { auth: database } = namesOf(values);
    const { reason } = values;
    if (!reason?.trim() || reason.length > 500)
      throw new UsageError('--reason is required, of 500 characters at most.');
    const { say, done } = outputOf(values.json, world);
    const rotated = await withStore(uriOf(values, world.env), (client) =>
      rotateKeys({ client, database, reason: reason.trim(), now: () => new Date(), sleep, say }),
    );
    done(rotated, '');
    return 0;
  },
});

const archive = command({
  path: 'archive-log',
  summary: 'Moves older entries of a chain’s log to files',
  options: {
    to: { value: 'PLACE', summary: 'a folder or s3://bucket/prefix, the LOG_ARCHIVE of vaults' },
    chain: { value: 'ID', summary: 'whose log is archived' },
    'keep-days': { value: 'N', summary: 'entries of so many days stay in the store, at least 2', default: '90' },
    'before-block': { value: 'N', summary: 'only entries of earlier blocks are archived' },
    ...storeOptions,
  },
  run: async ({ values }, world) => {
    const { env } = world;
    const { vaults: database } = namesOf(values);
    const { to, chain, 'keep-days': keepDays, 'before-block': beforeBlock } = values;
    if (!to) throw new UsageError('--to is required.');
    const place = to.includes('://') ? to : pathOf(to, env);
    const cut = cutOf({ chain, keepDays, beforeBlock });
    const { say, done } = outputOf(values.json, world);
    const archived = await withStore(uriOf(values, env), (client) =>
      archiveChainLog({ db: client.db(database), place, cut, now: () => new Date(), say }),
    );
    done(archived, '');
    return 0;
  },
});

const doctorOptions = {
  env: {
    value: 'SERVICE=FILE',
    summary: 'a service with the variables of a file, as systemd and compose read them; may be repeated',
    multiple: true,
  },
  process: {
    value: 'SERVICE=PID',
    summary: 'a service that runs here, with what it was started with; may be repeated',
    multiple: true,
  },
  service: {
    value: 'NAME',
    summary: 'the service in whose container or unit it runs, with the variables of this process',
  },
  json: { summary: 'findings as JSON' },
  'state-dir': stateOption,
} as const;

function processesOf(values: ValuesOf<typeof doctorOptions>, env: World['env']): Process[] {
  if (values.env.length > 0) return values.env.map((given) => processOfFile(given, (path) => pathOf(path, env)));
  if (values.process.length > 0) return values.process.map(processOfPid);
  const { service } = values;
  if (service !== undefined) {
    if (!isProcessName(service)) throw new UsageError(`There is no service ${service}.`);
    return [{ name: service, env }];
  }
  const running = runningProcesses(pathOf(values['state-dir'], env));
  if (running.length === 0)
    throw new UsageError(
      'No npm start runs here. Name services with --env SERVICE=FILE, or the one of this process with --service.',
    );
  return running;
}

const doctor = command({
  path: 'doctor',
  summary:
    'Looks at configuration, secrets, keys, bus, store, chains and clocks of the npm start that runs in --state-dir, or of services that are named',
  options: doctorOptions,
  run: async ({ values }, { env, out }) => {
    const findings = await examine(processesOf(values, env));
    out(values.json ? `${JSON.stringify(findings, undefined, 2)}\n` : reportOf(findings));
    return findings.some(({ state }) => state === 'fault') ? 1 : 0;
  },
});

const secrets = command({
  path: 'secrets',
  summary: 'Makes the secrets of a deployment, or those that a folder of them lacks; nothing is overwritten',
  options: {
    to: { value: 'FOLDER', summary: 'where they are written' },
    bus: {
      value: 'HOST:PORT',
      summary: `where services reach the bus, after tls:// where it has TLS; else where the folder says, else ${composeServers.bus}`,
    },
    store: {
      value: 'REST-OF-URI',
      summary:
        'the URI of the store without user and password, such as db.internal:27017/?replicaSet=rs0&authSource=admin; with mongodb+srv:// where it is one; ' +
        `else where the folder says, else ${composeServers.store}`,
    },
    ...jsonOption,
  },
  run: async ({ values }, world) => {
    const folder = required(values.to, '--to', world.env);
    const { bus, store } = values;
    const made = writeDeploySecrets(folder, { ...(bus && { bus }), ...(store && { store }) });
    outputOf(values.json, world).done({ folder, made }, reportOfSecrets(folder, made));
    return 0;
  },
});

const exported = command({
  path: 'secrets export',
  summary: 'Seals all files of the folder of secrets into one file, to be kept apart',
  options: {
    from: { value: 'FOLDER', summary: 'of the secrets' },
    to: { value: 'FILE', summary: 'where they are sealed; never over another file' },
    ...fileOptions,
    ...jsonOption,
  },
  run: async ({ values }, world) => {
    const { env } = world;
    const folder = required(values.from, '--from', env);
    const file = required(values.to, '--to', env);
    const given = { file, folder, passphrase: passphraseOf(values, env) };
    const names = await exportSecrets(given, { release: thisBuild.version, now: () => new Date() });
    outputOf(values.json, world).done({ file, names }, `${file} holds ${names.length} files of ${folder}.\n`);
    return 0;
  },
});

const imported = command({
  path: 'secrets import',
  summary: 'Writes the secrets that were exported into a folder; nothing is overwritten',
  options: {
    from: { value: 'FILE', summary: 'that castellan secrets export has made' },
    to: { value: 'FOLDER', summary: 'where they are written, each for its owner alone' },
    ...fileOptions,
    ...jsonOption,
  },
  run: async ({ values }, world) => {
    const { env } = world;
    const file = required(values.from, '--from', env);
    const folder = required(values.to, '--to', env);
    const names = await importSecrets({ file, folder, passphrase: passphraseOf(values, env) });
    outputOf(values.json, world).done({ folder, names }, `${folder} has the ${names.length} files of ${file}.\n`);
    return 0;
  },
});

const letters = command({
  path: 'dead-letters',
  summary: 'Events that a handler could not take: list, show NUMBER, redrive NUMBER; --json',
  hasOwnArguments: true,
  run: async ({ operands }, world) => {
    await deadLetters([...operands], world);
    return 0;
  },
});

/** For those who run a deployment: in the images, the installation and the repository, not in the package that is published. */
export const operatorCommands: readonly Command[] = [
  backup,
  restoreBackup,
  release,
  rotate,
  archive,
  doctor,
  letters,
  ...validatorCommands,
  secrets,
  exported,
  imported,
];

const { version, commit, node } = thisBuild;
const commands = withCompletion([...apiCommands, ...verifyCommands, ...operatorCommands]);

/** Runs one command. @returns the exit code: 1 when it failed, 2 when it was not understood. */
export const runCastellan = (args: string[], world: World): Promise<number> =>
  runCommand(commands, `castellan ${version} (${commit}), Node ${node}`, args, world);
