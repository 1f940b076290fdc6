import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Abi, Hex } from 'viem';

const require = createRequire(import.meta.url);
const contractsDir = join(dirname(dirname(fileURLToPath(import.meta.url))), 'contracts');
/** The sources as they were last compiled, with their key: `node packages/protocol/src/compile.ts` writes it. */
const compiledFile = join(contractsDir, 'compiled.json.gz');

/** The deployable contracts, by name. */
export const contractNames = [
  'DevGovernor',
  'DevAggregator',
  'DevStrategy',
  'DevVault',
  'DevEscrow',
  'DevPPSOracle',
  'DevToken',
  'DevYieldVault',
  'DevYieldSourceOracle',
  'DevDepositHook',
  'DevRedeemHook',
  'DevPriceFeed',
  'DevMulticall3',
  'DevRewardDistributor',
  'DevSwapPool',
  'DevClaimHook',
  'DevSwapHook',
] as const;
/** Name of a contract of this package. */
export type ContractName = (typeof contractNames)[number];

/** `abi`, creation code, and the size of the code that ends up on chain (limit 24 576 bytes, EIP-170). */
export type Artifact = { abi: Abi; bytecode: Hex; deployedBytes: number };
/** All contracts, compiled. */
export type Artifacts = Record<ContractName, Artifact>;

type SolcOutput = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<
    string,
    Record<string, { abi: Abi; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }>
  >;
};

// Few runs: the aggregator must stay under the size limit of EIP-170.
const settings = {
  optimizer: { enabled: true, runs: 1 },
  evmVersion: 'prague',
  metadata: { bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
};

const readSources = (): Record<string, { content: string }> =>
  Object.fromEntries(
    globSync('*.sol', { cwd: contractsDir })
      .sort()
      .map((file) => [file, { content: readFileSync(join(contractsDir, file), 'utf8') }]),
  );

/** What the artifacts depend on: sources, settings, compiler and the library that the sources import. */
function keyOf(sources: ReturnType<typeof readSources>): string {
  const compiler = (require('solc/package.json') as { version: string }).version;
  const library = (require('@openzeppelin/contracts/package.json') as { version: string }).version;
  const parts = JSON.stringify({ sources, settings, compiler, library });
  return createHash('sha256').update(parts).digest('hex').slice(0, 24);
}

/** What is compiled already and lies beside the sources. It may be of other sources: `isCurrent`. */
export function committedContracts(): { artifacts: Artifacts; isCurrent: boolean } {
  const text = gunzipSync(readFileSync(compiledFile)).toString('utf8');
  const { key, artifacts } = JSON.parse(text) as { key: string; artifacts: Artifacts };
  return { artifacts, isCurrent: key === keyOf(readSources()) };
}

/**
 * Every contract of this package: as committed, unless a source, the settings or the compiler changed since.
 * @param cacheDir - Where those are kept that had to be compiled; compiling takes seconds.
 * @throws Error with the compiler's own text.
 */
export function contractArtifacts({ cacheDir }: { cacheDir: string }): Artifacts {
  const { artifacts, isCurrent } = committedContracts();
  return isCurrent ? artifacts : compileContracts({ cacheDir });
}

/**
 * Compiles every contract of this package with the pinned solc.
 * @param cacheDir - Where artifacts are kept, by the hash of all that they depend on.
 * @throws Error with the compiler's own text.
 */
export function compileContracts({ cacheDir }: { cacheDir: string }): Artifacts {
  const sources = readSources();
  const cached = join(cacheDir, `contracts-${keyOf(sources)}.json`);
  if (existsSync(cached)) return JSON.parse(readFileSync(cached, 'utf8')) as Artifacts;
  const artifacts = compile(sources);
  mkdirSync(cacheDir, { recursive: true });
  const partial = `${cached}.${process.pid}`;
  writeFileSync(partial, JSON.stringify(artifacts));
  renameSync(partial, cached);
  return artifacts;
}

function compile(sources: Record<string, { content: string }>): Artifacts {
  const solc = require('solc') as {
    compile(input: string, callbacks: { import(path: string): { contents?: string; error?: string } }): string;
  };
  const input = JSON.stringify({ language: 'Solidity', sources, settings });
  const output = JSON.parse(
    solc.compile(input, {
      import: (path) => {
        try {
          return { contents: readFileSync(require.resolve(path), 'utf8') };
        } catch (error) {
          return { error: (error as Error).message };
        }
      },
    }),
  ) as SolcOutput;
  const faults = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const found = Object.fromEntries(Object.values(output.contracts).flatMap((file) => Object.entries(file)));
  return Object.fromEntries(
    contractNames.map((name) => {
      const contract = found[name];
      if (!contract) throw new Error(`No source defines ${name}.`);
      const deployedBytes = contract.evm.deployedBytecode.object.length / 2;
      return [name, { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}`, deployedBytes }];
    }),
  ) as Artifacts;
}

if (import.meta.main) {
  const sources = readSources();
  const text = JSON.stringify({ key: keyOf(sources), artifacts: compile(sources) });
  writeFileSync(compiledFile, gzipSync(text, { level: 9 }));
}
