import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
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
  throw new Error('No anvil was found: install Foundry, or run npm ci on Linux x86-64, where the lockfile brings it.');
}

export type AnvilOptions = {
  port: number;
  /** Loaded when it exists; written every few seconds and at the end. */
  statePath?: string;
  cachePath?: string;
  /** Seconds between blocks; without it a block is mined for each transaction. */
  blockTimeSeconds?: number;
  /** Mines nothing by itself. */
  manual?: boolean;
  /** Unix seconds of the first block. */
  timestamp?: number;
  accounts?: number;
};

export type Anvil = { readonly rpcUrl: string; readonly child: ChildProcess; stop(): Promise<void> };

const argumentsOf = (options: AnvilOptions): string[] => [
  ...['--host', '127.0.0.1', '--port', String(options.port), '--chain-id', '31337', '--silent'],
  ...['--mnemonic', 'test test test test test test test test test test test junk'],
  ...['--accounts', String(options.accounts ?? 64), '--balance', '1000000', '--hardfork', 'prague'],
  ...['--gas-limit', '1000000000'],
  ...['--prune-history', '64', '--transaction-block-keeper', '1000000'],
  ...(options.statePath ? ['--state', options.statePath, '--state-interval', '20'] : []),
  ...(options.cachePath ? ['--cache-path', options.cachePath] : []),
  ...(options.blockTimeSeconds ? ['--block-time', String(options.blockTimeSeconds)] : []),
  ...(options.manual ? ['--no-mining'] : []),
  ...(options.timestamp ? ['--timestamp', String(options.timestamp)] : []),
];

/** Starts anvil on the loopback and waits until it answers. @throws Error with its output when it does not. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const child = spawn(findAnvil(), argumentsOf(options), { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-4000);
  });
  const rpcUrl = `http://127.0.0.1:${options.port}`;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = Date.now() + 30_000;
  while (!(await answers(rpcUrl))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`anvil did not start on port ${options.port}: ${output.trim() || 'no output'}`);
    }
    await sleep(25);
  }
  return {
    rpcUrl,
    child,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}

async function answers(rpcUrl: string): Promise<boolean> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return response.ok;
  } catch {
    return false;
  }
}
