import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Hex } from 'viem';
import { type Deployment, deploymentOf } from './deployment.ts';
import { devnetNetworks } from './networks.ts';
import { defaultPriceIntervalSeconds } from './pace.ts';
import { withoutTraces } from './traces.ts';
import type { World } from './world.ts';

/** What is kept beside anvil's own state: the world that the operations need, and how far its history reaches. */
export type Kept = Omit<World, 'artifacts'> & { endBlock: number; endHash: Hex };

const bigintsOut = (_: string, value: unknown) => (typeof value === 'bigint' ? { bigint: String(value) } : value);
const bigintsIn = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'bigint' in value
    ? BigInt((value as { bigint: string }).bigint)
    : value;

/** A chain is stored that cannot be continued. It is not deleted unasked: what was done on it would be lost. */
export class StoredChainError extends Error {
  override readonly name = 'StoredChainError';

  constructor(folder: string, reason: string, cause?: unknown) {
    super(`The chain stored in ${folder} ${reason}. Begin with a new one: npm start -- --fresh`, { cause });
  }
}

/** The files of one state folder. What decides whether a start has a history is renamed into place, never half written. */
export class StateFiles {
  readonly state: string;
  readonly good: string;
  readonly cache: string;
  readonly artifacts: string;
  readonly #folder: string;
  readonly #deployment: string;
  readonly #world: string;
  readonly #ready: string;
  readonly #pid: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.state = join(folder, 'state.json');
    this.good = join(folder, 'state.good.json.gz');
    this.cache = join(folder, 'anvil-cache');
    this.artifacts = join(folder, 'artifacts');
    this.#deployment = join(folder, 'deployment.json');
    this.#world = join(folder, 'world.json');
    this.#ready = join(folder, 'ready');
    this.#pid = join(folder, 'anvil.pid');
  }

  /** The files that make a finished history: anvil's state, the world and the deployment. */
  get history(): readonly string[] {
    return [this.state, this.#world, this.#deployment];
  }

  /** Forgets the chain; the compiled contracts stay. */
  forget(): void {
    for (const file of [this.#deployment, this.#world, this.#ready, this.state, this.good])
      rmSync(file, { force: true });
    rmSync(this.cache, { recursive: true, force: true });
  }

  keep(kept: Kept, deployment: Deployment): void {
    writeAtomically(this.#world, JSON.stringify(kept, bigintsOut));
    writeAtomically(this.#deployment, JSON.stringify(deployment, null, 2));
  }

  /**
   * @returns undefined when no finished history is here.
   * @throws StoredChainError when its files are damaged, or were written by a version that kept other things.
   */
  read(): { kept: Kept; deployment: Deployment } | undefined {
    if (!existsSync(this.#world) || !existsSync(this.#deployment)) return undefined;
    try {
      const written = JSON.parse(readFileSync(this.#world, 'utf8'), bigintsIn) as Partial<Kept> &
        Omit<Kept, 'chainId' | 'benchmarks' | 'rewards'>;
      // Not on file before a start could choose them, and before there were benchmarks and rewards.
      const { chainId = devnetNetworks[0].chainId, priceIntervalSeconds = defaultPriceIntervalSeconds } = written;
      const { benchmarks = [], rewards } = written;
      const kept = { ...written, chainId, priceIntervalSeconds, benchmarks, rewards };
      const deployment = JSON.parse(readFileSync(this.#deployment, 'utf8')) as Deployment;
      const hasEnd = Number.isSafeInteger(kept.endBlock) && typeof kept.endHash === 'string';
      if (hasEnd && isDeepStrictEqual(deploymentOf(kept), deployment)) return { kept, deployment };
    } catch (error) {
      throw new StoredChainError(this.#folder, 'is damaged', error);
    }
    throw new StoredChainError(this.#folder, 'was made by another version');
  }

  /** Says where the contracts are while the chain can be used; undefined takes it back. */
  setReady(deployment: Deployment | undefined): void {
    if (deployment) writeAtomically(this.#ready, JSON.stringify(deployment));
    else rmSync(this.#ready, { force: true });
  }

  setPid(pid: number | undefined): void {
    if (pid === undefined) rmSync(this.#pid, { force: true });
    else writeFileSync(this.#pid, String(pid));
  }

  pid(): number | undefined {
    return existsSync(this.#pid) ? Number(readFileSync(this.#pid, 'utf8')) || undefined : undefined;
  }

  /**
   * Keeps what anvil has said of its state, compressed. The file that anvil loaded is older from now on and is removed, so that
   * the next start does not take it for the state of the end.
   */
  keepGood(compressed: Uint8Array): void {
    writeAtomically(this.good, compressed);
    rmSync(this.state, { force: true });
  }

  /** Whether anvil's own file is there: it ended in order, or was never asked for its state. */
  hasState(): boolean {
    return existsSync(this.state);
  }

  /** Puts the last copy in the place of anvil's own file. @returns whether there was a whole one. */
  restoreGood(): boolean {
    if (!existsSync(this.good)) return false;
    try {
      writeAtomically(this.state, gunzipSync(readFileSync(this.good)));
      return true;
    } catch {
      return false;
    }
  }

  /** Takes the traces of transactions out of anvil's own file: two thirds of it, and nobody asks for them. */
  dropTraces(): void {
    if (existsSync(this.state)) writeAtomically(this.state, withoutTraces(readFileSync(this.state)));
  }
}

function writeAtomically(file: string, text: string | Uint8Array): void {
  const partial = `${file}.partial`;
  writeFileSync(partial, text);
  renameSync(partial, file);
}
