import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { devnetValidators } from '@castellan/devnet';
import { until } from '@castellan/testkit';
import { stringify } from 'smol-toml';
import type { Hex } from 'viem';

/** A validator as an operator starts it: the program of this package as a process, with files of its own. */

const program = fileURLToPath(new URL('../../bin/castellan-validator.ts', import.meta.url));

export type Where = { natsUrl: string; mongoUri: string; database: string; rpcUrl: string; governor: Hex; oracle: Hex };

/** Nobody answers there: for what must be refused before anybody is asked. */
export const nowhere: Where = {
  natsUrl: 'nats://127.0.0.1:1',
  mongoUri: 'mongodb://127.0.0.1:1',
  database: 'nothing',
  rpcUrl: 'http://127.0.0.1:1',
  governor: `0x${'0'.repeat(39)}1`,
  oracle: `0x${'0'.repeat(39)}2`,
};

type Tables = Record<string, Record<string, unknown>>;

const keysOf = (index: number) => {
  const validator = devnetValidators[index];
  if (!validator) throw new Error(`There is no validator ${index}.`);
  return {
    offchain_private_key: validator.offchain.privateKey,
    onchain_private_key: { private_key: validator.signer.privateKey },
    transmitter_private_key: { private_key: validator.transmitter.privateKey },
  };
};

/** Folders of nodes, and the processes that run from them; all gone after `clean`. */
export function nodeFolders() {
  const root = mkdtempSync(join(tmpdir(), 'castellan-node-'));
  const running = new Set<NodeProcess>();
  let made = 0;
  const endAll = async (): Promise<void> => {
    const nodes = [...running];
    running.clear();
    for (const { child } of nodes) child.kill('SIGKILL');
    await Promise.all(nodes.map(({ ended }) => ended));
  };
  return {
    /** Writes the files of validator `index`. @param change - Edits the tables before they are written. */
    write(index: number, where: Where, change: (tables: Tables) => void = () => undefined): string {
      made += 1;
      const folder = join(root, `node-${made}`);
      mkdirSync(folder, { mode: 0o700 });
      const tables: Tables = {
        node: { node_id: `oracle-${index}` },
        keys: keysOf(index),
        bus: { urls: [where.natsUrl] },
        database: { url: where.mongoUri, name: `${where.database}_${index}` },
        monitoring: { metrics_port: 0, health_port: 0 },
        ocr2: {
          config_sync_chain_id: 31_337,
          poll: '1s',
          confirmations: 1,
          development_mode: true,
          empty_guard: 'sign',
        },
      };
      change(tables);
      const chain = {
        name: 'devnet',
        chain_id: 31_337,
        https_rpc: [where.rpcUrl],
        block_time: '1s',
        super_governor_address: where.governor,
        ecdsa_oracle_address: where.oracle,
      };
      writeFileSync(join(folder, 'config.toml'), stringify(tables), { mode: 0o600 });
      writeFileSync(join(folder, 'chains.toml'), stringify({ chains: [chain] }));
      return folder;
    },
    run(folder: string): NodeProcess {
      const started = runNode(folder);
      running.add(started);
      return started;
    },
    /** Kills those that still run, and waits for their end. */
    endAll,
    async clean(): Promise<void> {
      await endAll();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export type NodeProcess = {
  child: ChildProcess;
  /** Both streams, as they come. */
  output(): string;
  ended: Promise<number | null>;
  /** The first log line with this text. @throws when the process ends or does not say it in time. */
  says(text: string): Promise<string>;
};

function runNode(folder: string): NodeProcess {
  const args = [program, 'run', '--config', join(folder, 'config.toml')];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  let isOver = false;
  // Not at its exit: what it wrote last may come behind that.
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      isOver = true;
      resolve(code);
    }),
  );
  const find = (text: string) => output.split('\n').find((line) => line.includes(text));
  return {
    child,
    ended,
    output: () => output,
    says: async (text) => {
      await until(text, () => find(text) !== undefined || isOver, 100_000).catch(() => undefined);
      const line = find(text);
      if (line === undefined) throw new Error(`The process never said "${text}":\n${output}`);
      return line;
    },
  };
}
