import { type Address, encodeErrorResult, type Hex, maxUint256, parseAbi, zeroAddress, zeroHash } from 'viem';
import * as abi from '../index.ts';
import { RpcFault, type Script, type ScriptedChain, scriptedChain } from '../scripted-rpc.fixture.ts';

/** An address of one digit. */
export const at = (digit: string): Address => `0x${digit.repeat(40)}`;
/** Those that a reading of the vault is asked for by. */
export const addresses = {
  vault: at('1'),
  strategy: at('2'),
  escrow: at('3'),
  aggregator: at('4'),
  governor: at('5'),
  priceFeed: at('6'),
};
/** What the contracts name. */
export const named = {
  asset: at('7'),
  upkeepToken: at('8'),
  oracle: at('9'),
  sourceOracle: at('b'),
  lending: at('c'),
  farming: at('d'),
  manager: at('e'),
};
const { asset, upkeepToken, oracle, sourceOracle, lending, farming, manager } = named;
/** The root of hooks of the strategy. */
export const root: Hex = `0x${'11'.repeat(32)}`;
/** Whether a source is the first of the two. */
export const isLending = (source: unknown) => String(source).toLowerCase() === lending;
const returns = (value: unknown) => () => value;
/** A source that is an ERC-4626 vault: it says what it can pay out. */
const poolOf = (script: Script): Script => ({
  abi: [...script.abi, ...parseAbi(['function maxWithdraw(address owner) view returns (uint256)'])],
  functions: { ...script.functions, maxWithdraw: returns(800n) },
});
const token = (name: string, symbol: string, decimals: number): Script => ({
  abi: abi.erc20Abi,
  functions: {
    name: returns(name),
    symbol: returns(symbol),
    decimals: returns(decimals),
    balanceOf: ([owner]) => (owner === addresses.strategy ? 50n : 0n),
  },
});
/** What a contract answers for a strategy that it does not know. */
export const unknownStrategy = () => {
  throw new RpcFault(
    3,
    'execution reverted',
    encodeErrorResult({ abi: abi.superVaultAggregatorAbi, errorName: 'UNKNOWN_STRATEGY' }),
  );
};

/** A chain with one vault of two sources, of which the second has no name. */
export function aVaultChain(): ScriptedChain {
  const aggregator = {
    getMaxStaleness: 3_600n,
    getPPS: 1_050_000n,
    getLastUpdateTimestamp: 100n,
    getLastUnpauseTimestamp: 0n,
    getMinUpdateInterval: 60n,
    getProposedMinUpdateInterval: [120n, 999n],
    getDeviationThreshold: maxUint256,
    isStrategyPaused: false,
    isPPSStale: true,
    getMainManager: manager,
    getSecondaryManagers: [oracle],
    getPendingManagerChange: [zeroAddress, 0n],
    getStrategyHooksRoot: root,
    isStrategyHooksRootVetoed: false,
    getProposedStrategyHooksRoot: [zeroHash, 5n],
    getGlobalHooksRoot: zeroHash,
    isGlobalHooksRootVetoed: true,
    getProposedGlobalHooksRoot: [root, 77n],
    getHooksRootUpdateTimelock: 900n,
    getUpkeepBalance: 12n,
    pendingUpkeepWithdrawals: [3n, 88n],
  };
  const strategy = {
    vaultHwmPps: 1_040_000n,
    ppsExpiration: 86_400n,
    proposedPPSExpiryThreshold: 0n,
    ppsExpiryThresholdEffectiveTime: 0n,
    getConfigInfo: { performanceFeeBps: 1_500n, managementFeeBps: 10n, recipient: manager },
    vaultUnrealizedProfit: 4n,
    getYieldSourcesList: [
      { sourceAddress: lending, oracle: sourceOracle },
      { sourceAddress: farming, oracle: sourceOracle },
    ],
  };
  const scripted = (values: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, returns(value)]));
  return scriptedChain({
    contracts: {
      [addresses.vault]: {
        abi: abi.superVaultAbi,
        functions: scripted({
          asset,
          name: 'USDC Core',
          symbol: 'cUSDC',
          decimals: 6,
          PRECISION: 1_000_000n,
          totalSupply: 1_000n,
          totalAssets: 1_050n,
          getEscrowedAssets: 9n,
        }),
      },
      [addresses.aggregator]: { abi: abi.superVaultAggregatorAbi, functions: scripted(aggregator) },
      [addresses.strategy]: { abi: abi.superVaultStrategyAbi, functions: scripted(strategy) },
      [addresses.governor]: {
        abi: abi.superGovernorAbi,
        functions: {
          ...scripted({
            getFee: 5_000n,
            isUpkeepPaymentsEnabled: true,
            getActivePPSOracle: oracle,
            getUpkeepCostPerSingleUpdate: 2n,
          }),
          getAddress: ([key]) => (key === abi.registryKeys.upkeepToken ? upkeepToken : unknownStrategy()),
        },
      },
      [addresses.priceFeed]: {
        abi: abi.aggregatorV3Abi,
        functions: scripted({ latestRoundData: [3n, 99_990_000n, 90n, 95n, 3n], decimals: 8 }),
      },
      [asset]: token('USD Coin', 'USDC', 6),
      [upkeepToken]: token('Upkeep', 'UP', 18),
      [oracle]: { abi: abi.ecdsaPpsOracleAbi, functions: scripted({ noncePerStrategy: 7n }) },
      [lending]: poolOf(token('Lending Pool', 'LP', 6)),
      [sourceOracle]: {
        abi: abi.yieldSourceOracleAbi,
        functions: {
          getTVLByOwnerOfShares: ([source]) => (isLending(source) ? 1_000n : 5n),
          getBalanceOfOwner: returns(900n),
          getPricePerShare: returns(1_111_111n),
        },
      },
    },
  });
}
