export { aggregatorV3Abi } from './abi/aggregator-v3.ts';
export { ecdsaPpsOracleAbi } from './abi/ecdsa-pps-oracle.ts';
export { FeeType, PpsExpirationAction, RedeemOperation, SessionPermission, YieldSourceAction } from './abi/enums.ts';
export { erc20Abi } from './abi/erc20.ts';
export { type AbiError, allErrorsAbi, errorSelector } from './abi/errors.ts';
export { hookAbi } from './abi/hook.ts';
export { rewardDistributorAbi, swapPoolAbi } from './abi/rewards.ts';
export { superGovernorAbi } from './abi/super-governor.ts';
export { superVaultAbi } from './abi/super-vault.ts';
export { superVaultAggregatorAbi } from './abi/super-vault-aggregator.ts';
export { superVaultEscrowAbi } from './abi/super-vault-escrow.ts';
export { superVaultExecutorAbi } from './abi/super-vault-executor.ts';
export { superVaultStrategyAbi } from './abi/super-vault-strategy.ts';
export { yieldSourceOracleAbi } from './abi/yield-source-oracle.ts';
export {
  type ChainClientOptions,
  chainClient,
  type EndpointWatching,
  endpointsOf,
  type Fetch,
  isRpcUnavailable,
  isStatePruned,
  type RpcObservation,
  type RpcRefusal,
  unwrapRpcError,
} from './client.ts';
export { type DecodedCall, decodeCall } from './decode/calls.ts';
export { abiOf, type ContractKind } from './decode/contracts.ts';
export { type Json, toJson } from './decode/json.ts';
export { decodeProtocolLog, type ProtocolLog, type RoleOfAddress } from './decode/protocol-log.ts';
export { type DecodedRevert, decodeRevert } from './decode/revert.ts';
export { allocationShares } from './domain/allocation.ts';
export {
  entryFee,
  type FeeInputs,
  NET_PPS_DENOMINATOR,
  netPps,
  netPpsNumerator,
  type PendingFee,
  pendingPerformanceFee,
  SKIM_COOLDOWN_SECONDS,
  type SkimBlock,
  type SkimEligibility,
  type SkimInputs,
  sharesForAssets,
  skimEligibility,
} from './domain/fees.ts';
export {
  nextUpdateIn,
  type OperationalInputs,
  type OperationalState,
  operationalState,
  type PpsStatus,
  type PriceAge,
  ppsStatus,
  remainingStaleness,
} from './domain/freshness.ts';
export { BPS, mulDivDown, mulDivUp } from './domain/math.ts';
export {
  calculatedPps,
  deviationThresholdBps,
  divergenceBps,
  exceedsDeviation,
  formatPps,
  type UsdPrice,
  usdPrice,
  usdValue,
  type Valuation,
} from './domain/pricing.ts';
export { recentUpdatePace, type UpdatePace, upkeepRunwaySeconds } from './domain/upkeep-runway.ts';
export { type HookTree, hookLeaf, hookTree, verifyHookProof } from './hook-tree.ts';
export { readL1Fee } from './l1-fee.ts';
export { bloomMayHold } from './logs/bloom.ts';
export type { LogCheck } from './logs/complete-logs.ts';
export { findForkPoint, type StoredBlock } from './logs/fork-point.ts';
export { type BlockHeader, readHeader, requireHeader } from './logs/headers.ts';
export { onOneEndpoint, type Pinned } from './logs/one-endpoint.ts';
export { newRange, type RangeState } from './logs/range.ts';
export { type ChainLog, type LogChunk, type ReadLogsRequest, readLogs } from './logs/read-logs.ts';
export {
  type PpsOracleDomain,
  type PpsUpdate,
  ppsDomainSeparator,
  UPDATE_PPS_TYPEHASH,
  updatePpsDigest,
  updatePpsMessage,
  updatePpsStructHash,
} from './pps-digest.ts';
export {
  type ChainConfig,
  ChainEntry,
  DevnetDeployment,
  type DevnetSource,
  devnetChain,
  devnetSources,
  loadChains,
  publishedL1FeeOracle,
  type Reward,
} from './registry/chain-config.ts';
export { deployments, knownVaults } from './registry/deployments.ts';
export { type ExplorerPage, explorerLink } from './registry/explorer.ts';
export { governorRoles, registryKeys } from './registry/keys.ts';
export { feedArgs, type PriceFeed, resolvePriceFeeds } from './registry/price-feeds.ts';
export { type ChainContracts, resolveContracts } from './registry/resolve.ts';
export {
  type Endpoint,
  type EndpointHealth,
  type EndpointResult,
  Endpoints,
  type EndpointsOptions,
} from './rpc/endpoints.ts';
export { MULTICALL3 } from './rpc/gathered-calls.ts';
export { readHooks } from './state/core.ts';
export { readStatics, readVaultState } from './state/read-vault-state.ts';
export { orNull, readFeedPrice, readSource, readToken } from './state/reads.ts';
export type {
  FeedPrice,
  HooksState,
  Pending,
  SourceState,
  TokenMeta,
  UpkeepState,
  VaultAddresses,
  VaultState,
  VaultStatics,
} from './state/types.ts';
export {
  CONFIG_DIGEST_PREFIX,
  type ValidatorConfigFacts,
  validatorConfigDigest,
} from './validator-config/digest.ts';
export { ed25519PublicKey, encryptionSecretOf, x25519PublicKey, x25519Shared } from './validator-config/keys.ts';
export {
  decodeOffchainConfig,
  encodeOffchainConfig,
  OFFCHAIN_CONFIG_FORMAT,
  type OffchainConfig,
  OffchainConfigError,
  type RoundTiming,
  type SealedSecret,
} from './validator-config/offchain-config.ts';
export { stagesFor, type TimingPreset, timingPresets } from './validator-config/presets.ts';
export { dealSharedSecret, openSharedSecret, SHARED_SECRET_BYTES } from './validator-config/shared-secret.ts';
