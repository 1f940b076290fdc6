import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { thisBuild } from '@castellan/service-kit';
import { archiveChainLog, cutOf } from './archive-log.ts';
import { backUp } from './backup/backup.ts';
import { type Databases, databasesOf, withStore } from './backup/databases.ts';
import type { Manifest } from './backup/records.ts';
import { checkBackup, restore } from './backup/restore.ts';
import { deadLetters } from './dead-letters.ts';
import { examine, reportOf } from './doctor/doctor.ts';
import { isProcessName, type Process, processOfFile, processOfPid, runningProcesses } from './doctor/processes.ts';
import { readPassphrase } from './passphrase.ts';
import { releaseKeeper } from './release-keeper.ts';
import { rotateKeys } from './rotate-keys.ts';
import { composeServers, writeDeploySecrets } from './secrets.ts';
import { UsageError } from './usage.ts';

/** Where the commands run. */
export type World = {
  env: NodeJS.ProcessEnv;
  out: (text: string) => void;
  err: (text: string) => void;
};

const usage = `castellan backup --to FILE
castellan restore --from FILE [--check]
castellan release-keeper [--yes]
castellan keys rotate --reason TEXT
castellan archive-log --chain ID --to PLACE [--keep-days 90] [--before-block N]
castellan doctor [--json]
castellan dead-letters list | show | redrive
castellan secrets --to FOLDER [--bus HOST:PORT] [--store REST-OF-URI]
castellan --version

In the repository castellan is npm run castellan --

  --to FILE               where the backup is written; never over another file
  --to PLACE              of archive-log: a folder or s3://bucket/prefix, the LOG_ARCHIVE of vaults
  --chain ID              whose log is archived
  --keep-days N           entries of so many days stay in the store (90; at least 2)
  --before-block N        only entries of earlier blocks are archived
  --from FILE             the backup to restore, into empty databases only
  --yes                   after a restore: the keeper may send again
  --reason TEXT           why the identity provider is to make a new key for signing tokens; the audit log has it
  --check                 reads the backup to its end and writes nothing
  --passphrase-file FILE  with the passphrase that the backup is sealed with (mode 600); else CASTELLAN_BACKUP_PASSPHRASE
  --uri-file FILE         with the URI of a user who reaches all databases; else MONGODB_URI, else the store of npm start
  --database SERVICE=NAME for a service whose database is not castellan_SERVICE; may be repeated
  --state-dir FOLDER      of npm start (.castellan)
  --bus HOST:PORT         of secrets: where services reach the bus
  --store REST-OF-URI     of secrets: what follows user and password in a URI of the store, such as
                          db.internal:27017/?replicaSet=rs0&authSource=admin

doctor looks at configuration, secrets, keys, bus, store, chains and clocks of the npm start that runs in --state-dir, or of
  --env SERVICE=FILE      a service with the variables of a file, as systemd and compose read them; may be repeated
  --process SERVICE=PID   a service that runs here, with what it was started with; may be repeated
  --service NAME          the service in whose container or unit it runs, with the variables of this process
  --json                  findings as JSON
It ends with 1 when it finds a fault.
`;

const options = {
  to: { type: 'string' },
  from: { type: 'string' },
  check: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  bus: { type: 'string', default: composeServers.bus },
  store: { type: 'string', default: composeServers.store },
  reason: { type: 'string' },
  chain: { type: 'string' },
  'keep-days': { type: 'string', default: '90' },
  'before-block': { type: 'string' },
  'passphrase-file': { type: 'string' },
  'uri-file': { type: 'string' },
  database: { type: 'string', multiple: true, default: [] as string[] },
  env: { type: 'string', multiple: true, default: [] as string[] },
  process: { type: 'string', multiple: true, default: [] as string[] },
  service: { type: 'string' },
  json: { type: 'boolean', default: false },
  'state-dir': { type: 'string', default: '.castellan' },
  help: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
} as const;

const parse = (args: string[]) => parseArgs({ args, allowPositionals: true, options });
type Values = ReturnType<typeof parse>['values'];

function uriOf(values: Values, env: NodeJS.ProcessEnv): string {
  const own = join(pathOf(values['state-dir'], env), 'store-users/operator.uri');
  const file = values['uri-file'] ?? env.MONGODB_URI_FILE;
  if (file) return readFileSync(pathOf(file, env), 'utf8').trim();
  if (env.MONGODB_URI) return env.MONGODB_URI;
  if (existsSync(own)) return readFileSync(own, 'utf8').trim();
  throw new UsageError(
    'No document store: name one with --uri-file or MONGODB_URI, or start the system with npm start.',
  );
}

function namesOf(values: Values): Databases {
  try {
    return databasesOf(values.database);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** npm runs scripts in the folder of the repository; what is named is relative to where it was called. */
const pathOf = (path: string, env: NodeJS.ProcessEnv): string => resolve(env.INIT_CWD ?? '.', path);

function required(value: string | undefined, option: string, env: NodeJS.ProcessEnv): string {
  if (!value) throw new UsageError(`${option} is required.`);
  return pathOf(value, env);
}

function passphraseOf(values: Values, env: NodeJS.ProcessEnv): string {
  const file = values['passphrase-file'];
  return readPassphrase(file && pathOf(file, env), env);
}

const totalOf = ({ collections }: Manifest): string => {
  const documents = collections.reduce((sum, { documents: count }) => sum + count, 0);
  return `${documents} documents of ${collections.length} collections`;
};

async function runBackup(values: Values, { env, out }: World): Promise<number> {
  const file = required(values.to, '--to', env);
  const passphrase = passphraseOf(values, env);
  const databases = namesOf(values);
  const say = (line: string) => out(`${line}\n`);
  const written = await withStore(uriOf(values, env), (client) =>
    backUp({ client, databases, file, passphrase, release: thisBuild.version, now: () => new Date(), say }),
  );
  say(`${file} holds ${totalOf(written)}, by one ${written.moment}, as backup ${written.id}.`);
  return 0;
}

async function runRestore(values: Values, { env, out }: World): Promise<number> {
  const file = required(values.from, '--from', env);
  const passphrase = passphraseOf(values, env);
  const databases = namesOf(values);
  const say = (line: string) => out(`${line}\n`);
  if (values.check) {
    const read = await checkBackup({ file, passphrase });
    say(`${file} is whole: ${totalOf(read)}, as of ${read.created_at}, made by ${read.release}, backup ${read.id}.`);
    return 0;
  }
  const restored = await withStore(uriOf(values, env), (client) =>
    restore({ client, databases, file, passphrase, now: () => new Date(), say }),
  );
  say(`Restored ${totalOf(restored)} as of ${restored.created_at}. What is next stands in docs/operations/backup.md.`);
  return 0;
}

async function runReleaseKeeper(values: Values, { env, out }: World): Promise<number> {
  const { vaults: database } = namesOf(values);
  const say = (line: string) => out(`${line}\n`);
  await withStore(uriOf(values, env), (client) =>
    releaseKeeper({ client, database, isConfirmed: values.yes, now: () => new Date(), say }),
  );
  return 0;
}

async function runRotateKeys(values: Values, { env, out }: World): Promise<number> {
  const { auth: database } = namesOf(values);
  const { reason } = values;
  if (!reason?.trim() || reason.length > 500) throw new UsageError('--reason is required, of 500 characters at most.');
  const say = (line: string) => out(`${line}\n`);
  await withStore(uriOf(values, env), (client) =>
    rotateKeys({ client, database, reason: reason.trim(), now: () => new Date(), sleep, say }),
  );
  return 0;
}

async function runArchiveLog(values: Values, { env, out }: World): Promise<number> {
  const { vaults: database } = namesOf(values);
  const { to, chain, 'keep-days': keepDays, 'before-block': beforeBlock } = values;
  if (!to) throw new UsageError('--to is required.');
  const place = to.includes('://') ? to : pathOf(to, env);
  const cut = cutOf({ chain, keepDays, beforeBlock });
  const say = (line: string) => out(`${line}\n`);
  await withStore(uriOf(values, env), (client) =>
    archiveChainLog({ db: client.db(database), place, cut, now: () => new Date(), say }),
  );
  return 0;
}

function processesOf(values: Values, env: NodeJS.ProcessEnv): Process[] {
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

async function runDoctor(values: Values, { env, out }: World): Promise<number> {
  const findings = await examine(processesOf(values, env));
  out(values.json ? `${JSON.stringify(findings, undefined, 2)}\n` : reportOf(findings));
  return findings.some(({ state }) => state === 'fault') ? 1 : 0;
}

async function runSecrets(values: Values, { env, out }: World): Promise<number> {
  const folder = required(values.to, '--to', env);
  out(`${writeDeploySecrets(folder, values)} secrets in ${folder}.\n`);
  return 0;
}

/** Each returns its exit code. */
const commands: Readonly<Record<string, (values: Values, world: World) => Promise<number>>> = {
  backup: runBackup,
  restore: runRestore,
  'release-keeper': runReleaseKeeper,
  'keys rotate': runRotateKeys,
  'archive-log': runArchiveLog,
  doctor: runDoctor,
  secrets: runSecrets,
};

/** Runs one command. @returns the exit code: 1 when it failed, 2 when it was not understood. */
export async function runCastellan(args: string[], world: World): Promise<number> {
  try {
    // Its arguments are its own.
    if (args[0] === 'dead-letters') {
      await deadLetters(args.slice(1), world);
      return 0;
    }
    const { values, positionals } = parse(args);
    const name = positionals.join(' ');
    if (values.version) {
      const { version, commit, node } = thisBuild;
      world.out(`castellan ${version} (${commit}), Node ${node}\n`);
      return 0;
    }
    if (values.help) {
      world.out(usage);
      return 0;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw new UsageError(name ? `There is no command "${name}".` : 'Which command?');
    return await command(values, world);
  } catch (error) {
    const isUsage =
      error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true;
    const help = (error instanceof UsageError ? error.usage : undefined) ?? usage;
    world.err(`${(error as Error).message}\n${isUsage ? `\n${help}` : ''}`);
    return isUsage ? 2 : 1;
  }
}
