import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { credentialsOf, environmentOf, readUnit, type Unit, valuesOf } from './units.ts';

/**
 * Runs units as systemd would where there is none, such as in a chroot: their commands, environment files, credentials and state folders,
 * each as a user of its own. As root: `node play.ts castellan-nats.service castellan@auth.service ...`. Units of Type=oneshot run to their end one
 * after the other; the others run until this ends. Limits and the sandbox are not applied.
 */
const folder = process.env.UNITS ?? '/etc/systemd/system';
/** As systemd, which takes users without a name from here. */
const firstDynamicUser = 61_184;

function environmentFiles(unit: Unit): [string, string][] {
  return valuesOf(unit, 'Service.EnvironmentFile').flatMap((value) => {
    const isOptional = value.startsWith('-');
    try {
      const text = readFileSync(isOptional ? value.slice(1) : value, 'utf8');
      const lines = text.split('\n').map((line) => /^([A-Za-z_]\w*)=(.*)$/.exec(line));
      return lines.flatMap((found): [string, string][] => (found ? [[`${found[1]}`, `${found[2]}`]] : []));
    } catch (error) {
      if (isOptional) return [];
      throw error;
    }
  });
}

function ownFolder(path: string, uid: number): string {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chownSync(path, uid, uid);
  return path;
}

/** Makes the folders of the unit, with its credentials in them. @returns its environment. */
function prepare(name: string, unit: Unit, uid: number): Record<string, string> {
  const env: Record<string, string> = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  const credentials = join('/run/credentials', name);
  const given = credentialsOf(unit);
  if (given.size > 0) env.CREDENTIALS_DIRECTORY = ownFolder(credentials, uid);
  for (const [id, file] of given) {
    writeFileSync(join(credentials, id), readFileSync(file), { mode: 0o400 });
    chownSync(join(credentials, id), uid, uid);
  }
  const [state] = valuesOf(unit, 'Service.StateDirectory');
  if (state) env.STATE_DIRECTORY = ownFolder(join('/var/lib', state), uid);
  return {
    ...env,
    ...Object.fromEntries(environmentOf(unit, credentials)),
    ...Object.fromEntries(environmentFiles(unit)),
  };
}

/** The words of a command line, in which quotes hold words together. */
const wordsOf = (command: string, env: Readonly<Record<string, string>>): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) =>
    (quoted ?? plain ?? '').replaceAll('%%', '%').replaceAll(/\$\{(\w+)\}/g, (_whole, name: string) => env[name] ?? ''),
  );

function start(unit: Unit, command: string, env: Record<string, string>, uid: number): ChildProcess {
  const [program = '', ...args] = wordsOf(command, env);
  const [cwd = '/'] = valuesOf(unit, 'Service.WorkingDirectory');
  return spawn(program, args, { cwd, env, uid, gid: uid, stdio: 'inherit' });
}

const running: ChildProcess[] = [];
for (const [index, name] of process.argv.slice(2).entries()) {
  const unit = readUnit(folder, name);
  const uid = firstDynamicUser + index;
  const env = prepare(name, unit, uid);
  const commands = ['ExecStart', 'ExecStartPost'].flatMap((key) => valuesOf(unit, `Service.${key}`));
  for (const command of commands) {
    const child = start(unit, command, env, uid);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    if (!valuesOf(unit, 'Service.Type').includes('oneshot')) {
      running.push(child);
      ended.then((code) => process.stdout.write(`${name} ended with ${code}\n`));
    } else if ((await ended) !== 0) process.exitCode = 1;
  }
  process.stdout.write(`${name} ${running.at(-1)?.pid ?? 'done'}\n`);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of running.reverse()) child.kill(signal);
  });
