import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const require = createRequire(import.meta.url);

/** The pinned anvil of the lockfile, else the one on the path. @throws Error that says how to get one. */
export function findAnvil(): string {
  try {
    return require.resolve('@foundry-rs/anvil-linux-amd64/bin/anvil');
  } catch {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const candidate = join(folder, 'anvil');
      if (existsSync(candidate)) return candidate;
    }
  }
  throw new Error(
    'No anvil was found. On Linux x86-64 npm ci brings it; elsewhere install Foundry so that it is on PATH (macOS: ' +
      'brew install foundry; or https://getfoundry.sh).',
  );
}

let version: string | undefined;

/** What `anvil --version` prints: a state file is read by the version that wrote it. */
export function anvilVersion(): string {
  version ??= execFileSync(findAnvil(), ['--version'], { encoding: 'utf8' });
  return version;
}

/** How an anvil is started: hard fork prague, unlocked accounts of the public test mnemonic. */
export type AnvilOptions = {
  port: number;
  /** Default 31337. */
  chainId?: number;
  /** Loaded when it exists; written when anvil ends, and not before. */
  statePath?: string;
  /** A state that is loaded and stays as it is; in place of `statePath`. */
  loadStatePath?: string;
  /** Where it keeps its temporary files; otherwise a folder in the home directory that only grows. */
  cachePath?: string;
  /** Seconds between blocks; without it a block is mined for each transaction. */
  blockTimeSeconds?: number;
  /** Mines nothing by itself. */
  manual?: boolean;
  /** Unix seconds of the first block. */
  timestamp?: number;
  accounts?: number;
  /** How long `stop` waits before it kills; default 20 s. */
  stopWithinMs?: number;
};

/** A running anvil. `stop` resolves once its state is written and the process is gone. */
export type Anvil = { readonly rpcUrl: string; readonly child: ChildProcess; stop(): Promise<void> };

/** A year: left out, anvil would write its whole state once a minute. */
const neverSeconds = '31536000';

const argumentsOf = (options: AnvilOptions): string[] => [
  ...[
    '--host',
    '127.0.0.1',
    '--port',
    String(options.port),
    '--chain-id',
    String(options.chainId ?? 31337),
    '--silent',
  ],
  ...['--mnemonic', 'test test test test test test test test test test test junk'],
  ...['--accounts', String(options.accounts ?? 64), '--balance', '1000000', '--hardfork', 'prague'],
  ...['--gas-limit', '1000000000'],
  ...['--prune-history', '64', '--transaction-block-keeper', '1000000'],
  ...(options.statePath ? ['--state', options.statePath, '--state-interval', neverSeconds] : []),
  ...(options.loadStatePath ? ['--load-state', options.loadStatePath] : []),
  ...(options.cachePath ? ['--cache-path', options.cachePath] : []),
  ...(options.blockTimeSeconds ? ['--block-time', String(options.blockTimeSeconds)] : []),
  ...(options.manual ? ['--no-mining'] : []),
  ...(options.timestamp ? ['--timestamp', String(options.timestamp)] : []),
];

/** Anvil ended by itself before it answered: with a stored state, it could not read it. */
export class AnvilExitedError extends Error {
  override readonly name = 'AnvilExitedError';
}

/**
 * Starts anvil on the loopback and waits until it answers. It ends with this process, also when that fails.
 * @throws AnvilExitedError with anvil's own output; Error when the port is taken, anvil cannot be run, or it takes too long.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const rpcUrl = `http://127.0.0.1:${options.port}`;
  // Whatever listens there would answer in anvil's place.
  if (await isTaken(options.port)) throw new Error(`Port ${options.port} is taken, so anvil cannot start on it.`);
  const child = spawn(findAnvil(), argumentsOf(options), { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-4000);
  });
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const endWithUs = () => child.kill('SIGTERM');
  process.once('exit', endWithUs);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void exited.then(() => process.off('exit', endWithUs));
  const deadline = Date.now() + 60_000;
  while (!(await answers(rpcUrl))) {
    if (failure) throw new Error(`anvil cannot be run: ${failure.message}`);
    const message = `anvil did not start on port ${options.port}: ${output.trim() || 'no output'}`;
    if (child.exitCode !== null || child.signalCode !== null) throw new AnvilExitedError(message);
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(message);
    }
    await sleep(25);
  }
  return { rpcUrl, child, stop: () => stopChild(child, exited, options.stopWithinMs ?? 20_000) };
}

/** SIGTERM lets anvil write its state, which takes a second for a long history. */
async function stopChild(child: ChildProcess, exited: Promise<void>, withinMs: number): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  const late = await Promise.race([exited.then(() => false), sleep(withinMs, true, { ref: false })]);
  if (!late) return;
  child.kill('SIGKILL');
  await exited;
}

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

async function answers(rpcUrl: string): Promise<boolean> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return response.ok;
  } catch {
    return false;
  }
}
