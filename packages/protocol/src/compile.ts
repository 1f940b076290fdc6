import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Abi, Hex } from 'viem';

const require = createRequire(import.meta.url);
const contractsDir = join(dirname(dirname(fileURLToPath(import.meta.url))), 'contracts');

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

/**
 * Compiles every contract of this package with the pinned solc.
 * @param cacheDir - Where artifacts are kept, by the hash of sources, settings and compiler; compiling takes seconds.
 * @throws Error with the compiler's own text.
 */
export function compileContracts({ cacheDir }: { cacheDir: string }): Artifacts {
  const sources = readSources();
  const compiler = (require('solc/package.json') as { version: string }).version;
  const library = (require('@openzeppelin/contracts/package.json') as { version: string }).version;
  const key = createHash('sha256')
    .update(JSON.stringify({ sources, settings, compiler, library }))
    .digest('hex')
    .slice(0, 24);
  const cached = join(cacheDir, `contracts-${key}.json`);
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
