import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  aggregatorV3Abi,
  ecdsaPpsOracleAbi,
  superGovernorAbi,
  superVaultAbi,
  superVaultAggregatorAbi,
  superVaultEscrowAbi,
  superVaultStrategyAbi,
  yieldSourceOracleAbi,
} from '@castellan/chain';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Abi, type AbiEvent, type AbiFunction, type AbiItem, toEventSelector, toFunctionSelector } from 'viem';
import { formatAbiItem } from 'viem/utils';
import { type Artifacts, type ContractName, committedContracts, compileContracts } from './compile.ts';

/** Selectors, topics, indexed flags and errors of ours against the production ABI. */

let artifacts: Artifacts;
beforeAll(() => {
  artifacts = compileContracts({ cacheDir: join(tmpdir(), 'castellan-contracts') });
});

test('default: what is committed is what the compiler makes of the sources: node packages/protocol/src/compile.ts', () => {
  expect(committedContracts()).toEqual({ artifacts, isCurrent: true });
});

// The governor's parts that the devnet leaves out: SuperBank roots, and errors that only they use.
const governorWithout =
  /SuperBank|MERKLE_ROOT|SUPER_ORACLE_NOT_FOUND|UP_NOT_FOUND|UPKEEP_TOKEN_NOT_FOUND|INVALID_TIMESTAMP/;

const pairs: [ContractName, Abi, RegExp | undefined][] = [
  ['DevAggregator', superVaultAggregatorAbi as Abi, undefined],
  ['DevPPSOracle', ecdsaPpsOracleAbi as Abi, undefined],
  ['DevStrategy', superVaultStrategyAbi as Abi, undefined],
  ['DevVault', superVaultAbi as Abi, undefined],
  ['DevEscrow', superVaultEscrowAbi as Abi, undefined],
  ['DevGovernor', superGovernorAbi as Abi, governorWithout],
  ['DevYieldSourceOracle', yieldSourceOracleAbi as Abi, undefined],
  ['DevPriceFeed', aggregatorV3Abi as Abi, undefined],
];

const named = (abi: Abi, type: string, without: RegExp | undefined): AbiItem[] =>
  abi.filter((item) => item.type === type && !('name' in item && without?.test(item.name)));

const outputsOf = ({ outputs, stateMutability }: AbiFunction) =>
  `${stateMutability === 'view' || stateMutability === 'pure' ? 'read' : 'write'} ${JSON.stringify(outputs.map(strip))}`;

type Parameter = { type: string; components?: readonly Parameter[] };
const strip = ({ type, components }: Parameter): unknown => (components ? [type, components.map(strip)] : type);

describe.each(pairs)('%s', (name, production, without) => {
  test('behavior: every function has its selector, outputs and kind', () => {
    const ours = new Map(
      artifacts[name].abi
        .filter((item) => item.type === 'function')
        .map((item) => [toFunctionSelector(item), outputsOf(item)]),
    );
    for (const item of named(production, 'function', without)) {
      const wanted = item as AbiFunction;
      expect([formatAbiItem(wanted), ours.get(toFunctionSelector(wanted))]).toEqual([
        formatAbiItem(wanted),
        outputsOf(wanted),
      ]);
    }
  });

  test('behavior: every event has its topic and indexed fields', () => {
    const shape = (event: AbiEvent) =>
      event.inputs.map(({ type, indexed }) => `${type}${indexed ? ' indexed' : ''}`).join();
    const ours = new Map(
      artifacts[name].abi.filter((item) => item.type === 'event').map((item) => [toEventSelector(item), shape(item)]),
    );
    for (const item of named(production, 'event', without)) {
      const wanted = item as AbiEvent;
      expect([wanted.name, ours.get(toEventSelector(wanted))]).toEqual([wanted.name, shape(wanted)]);
    }
  });

  test('behavior: every custom error exists', () => {
    const ours = artifacts[name].abi.filter((item) => item.type === 'error').map((item) => formatAbiItem(item));
    for (const item of named(production, 'error', without)) expect(ours).toContain(formatAbiItem(item));
  });

  test('behavior: it fits on a chain (EIP-170)', () => {
    expect(artifacts[name].deployedBytes).toBeLessThanOrEqual(24_576);
  });
});
