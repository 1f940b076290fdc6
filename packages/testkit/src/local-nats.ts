import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Server } from './docker/servers.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** The `nats-server` of this machine, with JetStream. @throws Error when there is none. */
export async function startLocalNats(): Promise<Server> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'castellan-nats-'));
  let child: ChildProcess;
  // A test process that dies must not leave its server behind.
  const killChild = () => void child.kill('SIGKILL');
  process.once('exit', killChild);
  const start = async () => {
    let failure: string | undefined;
    child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder], { stdio: 'ignore' });
    child.once('error', (error) => {
      failure = `nats-server cannot run (${error.message}); install the nats-server package.`;
    });
    const isUp = async () => {
      if (failure) throw new Error(failure);
      return answers(port);
    };
    await until('nats-server', isUp, 60_000);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    kill: () => end('SIGKILL'),
    restart: start,
    stop: async () => {
      await end('SIGTERM');
      process.removeListener('exit', killChild);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
