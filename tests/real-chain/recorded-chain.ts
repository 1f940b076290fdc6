import {
  deployments,
  ecdsaPpsOracleAbi,
  knownVaults,
  MULTICALL3,
  superGovernorAbi,
  superVaultAbi,
  superVaultAggregatorAbi,
} from '@castellan/chain';
import {
  type Abi,
  type AbiEvent,
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hex,
  parseAbi,
  zeroAddress,
} from 'viem';
import { type RpcLog, type ScriptedChain, scriptedChain } from '../../packages/chain/src/scripted-rpc.fixture.ts';
import { addresses, aVaultChain, named } from '../../packages/chain/src/state/vault-chain.fixture.ts';
import { devnetValidatorConfig } from '../../packages/devnet/src/validators.ts';

/** A chain: the published contracts at their addresses, one vault, and some of its life. */
export type RecordedChain = {
  chainId: 1 | 8453;
  /** Contracts, logs and hashes. */
  state: ScriptedChain;
  timeAt(block: bigint): bigint;
  vault: Address;
  strategy: Address;
  /** Of the deposit, near the beginning. */
  depositBlock: bigint;
  /** Of a transaction that Ethereum forced into the chain: it pays nothing there. Null on Ethereum. */
  forcedBlock: bigint | null;
};

/** Far enough for a few ranges of every size that providers take; the real chains have millions of blocks more. */
const BLOCKS = 30_000n;
export const wallet: Address = '0x3A4B6F0Cef9774E1Ee5B2d7409e9F10A8A837376';

type Trio = { vault: Address; strategy: Address; escrow: Address; asset: Address };
const trios: Readonly<Record<1 | 8453, Trio>> = {
  // superUSDC
  1: { ...knownVaults[1][0], asset: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
  // The strategy of the flagship USDC vault; the addresses of vault and escrow are published nowhere that we know of.
  8453: {
    vault: '0xf6EbeA08a0Dfd44825f67Fa9963911c81BE2a947',
    strategy: '0x5bE8c059A8E101d24B107aFb5A013feF505280b9',
    escrow: '0x11c016dFb1745A81587e5e3Fa8fc75f5693F427b',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  },
};

function eventOf(
  abi: Abi,
  eventName: string,
  args: Readonly<Record<string, unknown>>,
): Pick<RpcLog, 'topics' | 'data'> {
  const event = getAbiItem({ abi, name: eventName }) as AbiEvent;
  const unindexed = event.inputs.filter(({ indexed }) => !indexed);
  return {
    topics: encodeEventTopics({ abi, eventName, args }) as Hex[],
    data: encodeAbiParameters(
      unindexed,
      unindexed.map(({ name }) => args[String(name)]),
    ),
  };
}

/** Of one deployment, from its first block on. */
function lifeOf(
  { vault, strategy, escrow, asset }: Trio,
  start: bigint,
  head: bigint,
  timeAt: RecordedChain['timeAt'],
) {
  const { governor, aggregator, pps_oracle } = deployments[1];
  const logs: RpcLog[] = [];
  const at = (block: bigint, address: Address, abi: Abi, name: string, args: Readonly<Record<string, unknown>>) => {
    const logIndex = 300 + logs.filter(({ blockNumber }) => blockNumber === block).length;
    logs.push({ address, ...eventOf(abi, name, args), blockNumber: block, logIndex });
  };
  const { validatorPublicKeys, ...config } = devnetValidatorConfig;
  at(start + 100n, governor, superGovernorAbi, 'ValidatorConfigSet', { version: 1n, validatorPublicKeys, ...config });
  at(start + 1_000n, aggregator, superVaultAggregatorAbi, 'VaultDeployed', {
    vault,
    strategy,
    escrow,
    asset,
    name: 'SuperUSDC',
    symbol: 'superUSDC',
    nonce: 0n,
  });
  at(start + 1_000n, vault, superVaultAbi, 'Initialized', { asset, strategy, escrow });
  const priced = (block: bigint, pps: bigint) => {
    const price = { strategy, pps, timestamp: timeAt(block) - 12n };
    at(block, pps_oracle, ecdsaPpsOracleAbi, 'PPSValidated', { ...price, sender: wallet });
    at(block, aggregator, superVaultAggregatorAbi, 'PPSUpdated', price);
  };
  const deposited = (block: bigint, assets: bigint) => {
    at(block, vault, superVaultAbi, 'Transfer', { from: zeroAddress, to: wallet, value: assets });
    at(block, vault, superVaultAbi, 'Deposit', { sender: wallet, owner: wallet, assets, shares: assets });
  };
  deposited(start + 1_500n, 5_000_000n);
  for (let block = start + 3_000n; block < start + 3_050n; block += 10n) priced(block, 1_000_000n + (block - start));
  deposited(start + 9_000n, 7_000_000n);
  priced(head - 100n, 1_040_000n);
  priced(head - 5n, 1_050_000n);
  return logs;
}

/** The scripted contracts under the addresses that they have on the real chains. */
function contractsAt(trio: Trio): ScriptedChain['contracts'] {
  const { governor, aggregator, pps_oracle } = deployments[1];
  const moved: Readonly<Record<string, Address>> = {
    [addresses.vault]: trio.vault,
    [addresses.strategy]: trio.strategy,
    [addresses.escrow]: trio.escrow,
    [addresses.aggregator]: aggregator,
    [addresses.governor]: governor,
    [named.oracle]: pps_oracle,
    [named.asset]: trio.asset,
  };
  const contracts = Object.fromEntries(
    Object.entries(aVaultChain().contracts).map(([address, script]) => [
      (moved[address] ?? address).toLowerCase(),
      script,
    ]),
  );
  const answer = (address: Address, more: Readonly<Record<string, () => unknown>>) =>
    Object.assign(contracts[address.toLowerCase()]?.functions ?? {}, more);
  answer(trio.vault, { asset: () => trio.asset });
  answer(aggregator, { getAllSuperVaultStrategies: () => [trio.strategy] });
  const { validators, validatorPublicKeys, quorum } = devnetValidatorConfig;
  answer(governor, {
    getActivePPSOracle: () => pps_oracle,
    getValidatorConfig: () => [1n, validators, validatorPublicKeys, quorum],
  });
  contracts[deployments[8453].l1_fee_oracle.toLowerCase()] = {
    abi: parseAbi([
      'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
      'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
    ]),
    functions: { getL1FeeUpperBound: ([size]) => (size as bigint) * 10_000_000n, getOperatorFee: () => 0n },
  };
  return contracts;
}

/** @param now - Unix seconds: the time of the head. */
export function recordedChain(chainId: 1 | 8453, now: bigint): RecordedChain {
  const { start_block, block_time_seconds, governor } = deployments[chainId];
  const trio = trios[chainId];
  const start = BigInt(start_block);
  const head = start + BLOCKS;
  const timeAt = (block: bigint) => now - (head - block) * BigInt(block_time_seconds);
  const coded = [MULTICALL3, governor, ...(chainId === 8453 ? [deployments[8453].l1_fee_oracle] : [])];
  const codes = Object.fromEntries(coded.map((address) => [address.toLowerCase(), '0x60' as Hex]));
  const state = scriptedChain({
    head,
    codes,
    logs: lifeOf(trio, start, head, timeAt),
    contracts: contractsAt(trio),
  });
  const { vault, strategy } = trio;
  const forcedBlock = chainId === 1 ? null : start + 9_000n;
  return { chainId, state, timeAt, vault, strategy, depositBlock: start + 1_500n, forcedBlock };
}
