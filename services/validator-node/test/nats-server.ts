import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { busUsers, passwordVariableOf, servicesConf } from '@castellan/service-kit';
import { freePort, until } from '@castellan/testkit';
import type { Hex } from 'viem';
import { usersOf, validatorsConf } from '../src/transport/permissions.ts';

const networks = { network: 'castellan', namespace: 'castellan' };

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

/** A real server with the accounts and permissions that the network `castellan` gets for these off-chain keys. */
export async function startValidatorNats(offchainKeys: readonly Hex[]): Promise<ValidatorNats> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'castellan-validator-nats-'));
  const file = join(folder, 'nats.conf');
  writeFileSync(join(folder, 'castellan.conf'), servicesConf('castellan'));
  writeFileSync(join(folder, 'validators.conf'), validatorsConf(networks, offchainKeys));
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(folder)} }\naccounts {\n  include ./castellan.conf\n  include ./validators.conf\n}\n`,
  );
  const users = [...busUsers, ...usersOf(offchainKeys)];
  const passwords = Object.fromEntries(users.map((user) => [passwordVariableOf(user), passwordOf(user)]));
  const env = { ...process.env, ...passwords };
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
