import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findNatsServer } from './find.ts';

/** How to run the bus. Ports are TCP ports; `monitorPort` opens NATS's HTTP monitoring when it is given. */
export type NatsOptions = {
  /** Users and what they may do, as the server's configuration has them inside of `accounts`; without it there are none. */
  accounts?: string;
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 4222. */
  port?: number;
  /** JetStream's store. */
  dataDir: string;
  /** Where the configuration goes and where a binary may be unpacked. */
  stateDir: string;
  monitorPort?: number;
  /** Makes it one of several servers that keep copies of streams; without it the server stands alone. */
  cluster?: NatsCluster;
  log?: (line: string) => void;
};

/** The other servers: on which port of the same host each listens for the rest, this one included. */
export type NatsCluster = { name: string; port: number; ports: readonly number[] };

/** A command line for a supervisor to spawn without anything in between. */
export type NatsCommand = { command: string; args: string[]; url: string };

/** Servers do not name each other to clients: one that was given a way to some of them stays on it. */
const clusterLines = (host: string, { name, port, ports }: NatsCluster): string[] => [
  `server_name: ${JSON.stringify(`${name}-${port}`)}`,
  `cluster {
  name: ${JSON.stringify(name)}
  listen: ${JSON.stringify(`${host}:${port}`)}
  no_advertise: true
  routes: ${JSON.stringify(ports.filter((other) => other !== port).map((other) => `nats://${host}:${other}`))}
}`,
];

const MAX_PAYLOAD_BYTES = 1024 * 1024;
const START_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 5_000;

/**
 * Finds the server, writes its configuration and gives the command line that runs it with JetStream. The caller
 * spawns the binary itself, so that no wrapper can die and leave the server behind holding its port.
 * @throws {Error} when no server can be found.
 */
export async function natsServerCommand(options: NatsOptions): Promise<NatsCommand> {
  const { host = '127.0.0.1', port = 4222, dataDir, stateDir, monitorPort, accounts, cluster, log } = options;
  const command = await findNatsServer({ stateDir, ...(log && { log }) });
  const store = resolve(dataDir);
  mkdirSync(store, { recursive: true });
  mkdirSync(stateDir, { recursive: true });
  const lines = [
    `listen: ${JSON.stringify(`${host}:${port}`)}`,
    `max_payload: ${MAX_PAYLOAD_BYTES}`,
    `jetstream { store_dir: ${JSON.stringify(store)} }`,
    ...(monitorPort === undefined ? [] : [`http: ${JSON.stringify(`${host}:${monitorPort}`)}`]),
    ...(cluster === undefined ? [] : clusterLines(host, cluster)),
    ...(accounts === undefined ? [] : [`accounts {\n${accounts}\n}`]),
  ];
  const file = join(resolve(stateDir), `nats-${port}.conf`);
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { command, args: ['-c', file], url: `nats://${host}:${port}` };
}

/** Whether a NATS server greets on this port with its INFO line. */
function greets(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host, port, timeout: 500 });
    const end = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    socket.once('data', (data) => end(data.toString('latin1').startsWith('INFO ')));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

/**
 * Starts a NATS server and waits until it answers.
 * @throws {Error} when it ends or does not answer within ten seconds; the message holds what it last said.
 */
export async function startNats(options: NatsOptions): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const { host = '127.0.0.1', port = 4222, log } = options;
  if (await greets(host, port)) throw new Error(`Port ${port} is taken by another NATS server: choose another port`);
  const { command, args, url } = await natsServerCommand(options);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said = (said + data.toString()).slice(-2000);
    log?.(data.toString().trimEnd());
  });
  child.on('error', (error) => {
    said += error.message;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await greets(host, port))) {
    if (child.exitCode === null && child.pid !== undefined && Date.now() < deadline) await sleep(20);
    else {
      child.kill('SIGKILL');
      throw new Error(`nats-server did not start on port ${port}: ${said.trim()}`);
    }
  }
  return { url, pid: child.pid as number, stop: () => stopChild(child) };
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(force);
}
