import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, until } from '@castellan/testkit';

const permissions = join(dirname(fileURLToPath(import.meta.url)), '../../../deploy/nats/validators.conf');

export const passwordOf = (user: string) => `pw-${user}-x`;

const greets = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

export type ValidatorNats = { url: string; kill(): Promise<void>; start(): Promise<void>; stop(): Promise<void> };

/** A real server with the accounts and permissions of deploy/nats/validators.conf. */
export async function startValidatorNats(): Promise<ValidatorNats> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'castellan-validator-nats-'));
  const file = join(folder, 'nats.conf');
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(folder)} }\ninclude ${JSON.stringify(relative(folder, permissions))}\n`,
  );
  const users = ['services', 'oracle-0', 'oracle-1', 'oracle-2', 'oracle-3'];
  const variable = (user: string) => `NATS_${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
  const env = { ...process.env, ...Object.fromEntries(users.map((user) => [variable(user), passwordOf(user)])) };
  let child: ChildProcess;
  const killChild = () => void child.kill('SIGKILL');
  process.once('exit', killChild);
  const start = async () => {
    child = spawn('nats-server', ['-c', file], { stdio: 'ignore', env });
    await until('nats-server', () => greets(port));
  };
  const kill = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    start,
    stop: async () => {
      await kill();
      process.removeListener('exit', killChild);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
