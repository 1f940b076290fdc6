// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value.
pragma solidity 0.8.37;

struct FeeConfig { uint256 performanceFeeBps; uint256 managementFeeBps; address recipient; }
struct VaultCreationParams {
    address asset; string name; string symbol; address mainManager; address[] secondaryManagers;
    uint256 minUpdateInterval; uint256 maxStaleness; FeeConfig feeConfig;
}
struct ForwardPPSArgs { address[] strategies; uint256[] ppss; uint256[] timestamps; address updateAuthority; }
struct ValidateHookArgs { address hookAddress; bytes hookArgs; bytes32[] globalProof; bytes32[] strategyProof; }
struct ExecuteArgs {
    address[] hooks; bytes[] hookCalldata; uint256[] expectedAssetsOrSharesOut;
    bytes32[][] globalProofs; bytes32[][] strategyProofs;
}
struct YieldSource { address oracle; }
struct YieldSourceInfo { address sourceAddress; address oracle; }
struct SuperVaultState {
    bool pendingCancelRedeemRequest; uint256 claimableCancelRedeemRequest; uint256 pendingRedeemRequest;
    uint256 maxWithdraw; uint256 averageRequestPPS; uint256 averageWithdrawPrice; uint16 redeemSlippageBps;
}
struct UpdatePPSArgs { address[] strategies; bytes[][] proofsArray; uint256[] ppss; uint256[] timestamps; }
struct ValidationParams { address strategy; bytes[] proofs; uint256 pps; uint256 timestamp; }
struct Execution { address target; uint256 value; bytes callData; }

/// The keys under which the governor registers addresses.
library Keys {
    bytes32 internal constant AGGREGATOR = keccak256("SUPER_VAULT_AGGREGATOR");
    bytes32 internal constant UPKEEP_TOKEN = keccak256("UPKEEP_TOKEN");
    bytes32 internal constant SUPER_BANK = keccak256("SUPER_BANK");
    bytes32 internal constant TREASURY = keccak256("TREASURY");
}

interface IGovernor {
    function getAddress(bytes32 key) external view returns (address);
    function isActivePPSOracle(address oracle) external view returns (bool);
    function getActivePPSOracle() external view returns (address);
    function isHookRegistered(address hook) external view returns (bool);
    function getFee(uint8 feeType) external view returns (uint256);
    function getMinStaleness() external view returns (uint256);
    function isUpkeepPaymentsEnabled() external view returns (bool);
    function getUpkeepCostPerSingleUpdate(address oracle) external view returns (uint256);
    function isManagerTakeoverFrozen() external view returns (bool);
    function isValidator(address validator) external view returns (bool);
    function getValidatorsCount() external view returns (uint256);
    function getPPSOracleQuorum() external view returns (uint256);
}

interface IAggregator {
    function getPPS(address strategy) external view returns (uint256);
    function getLastUpdateTimestamp(address strategy) external view returns (uint256);
    function getLastUnpauseTimestamp(address strategy) external view returns (uint256);
    function isStrategyPaused(address strategy) external view returns (bool);
    function isPPSStale(address strategy) external view returns (bool);
    function isAnyManager(address manager, address strategy) external view returns (bool);
    function isMainManager(address manager, address strategy) external view returns (bool);
    function isGlobalHooksRootVetoed() external view returns (bool);
    function validateHook(address strategy, ValidateHookArgs calldata args) external view returns (bool);
    function updatePPSAfterSkim(uint256 newPPS, uint256 feeAmount) external;
    function forwardPPS(ForwardPPSArgs calldata args) external;
    function changePrimaryManager(address strategy, address newManager, address feeRecipient) external;
    function resetHighWaterMark(address strategy) external;
    function setHooksRootUpdateTimelock(uint256 newTimelock) external;
    function proposeGlobalHooksRoot(bytes32 newRoot) external;
    function setGlobalHooksRootVetoStatus(bool vetoed) external;
    function setStrategyHooksRootVetoStatus(address strategy, bool vetoed) external;
    function claimUpkeep(uint256 amount) external;
}

interface IStrategy {
    function initialize(address vaultAddress, FeeConfig calldata feeConfigData) external;
    function handleOperations4626Deposit(address controller, uint256 assetsGross) external returns (uint256);
    function handleOperations4626Mint(address controller, uint256 sharesNet, uint256 assetsGross, uint256 assetsNet) external;
    function handleOperations7540(uint8 op, address controller, address receiver, uint256 amount) external;
    function quoteMintAssetsGross(uint256 shares) external view returns (uint256 assetsGross, uint256 assetsNet);
    function getStoredPPS() external view returns (uint256);
    function getConfigInfo() external view returns (FeeConfig memory);
    function ppsExpiration() external view returns (uint256);
    function pendingRedeemRequest(address controller) external view returns (uint256);
    function pendingCancelRedeemRequest(address controller) external view returns (bool);
    function claimableCancelRedeemRequest(address controller) external view returns (uint256);
    function claimableWithdraw(address controller) external view returns (uint256);
    function getAverageWithdrawPrice(address controller) external view returns (uint256);
    function changeFeeRecipient(address newRecipient) external;
    function resetHighWaterMark(uint256 newHwmPps) external;
}

interface IVault {
    function initialize(address asset_, string calldata name_, string calldata symbol_, address strategy_, address escrow_) external;
    function totalSupply() external view returns (uint256);
    function burnShares(uint256 amount) external;
    function asset() external view returns (address);
    function escrow() external view returns (address);
}

interface IEscrow {
    function initialize(address vaultAddress) external;
    function escrowShares(address from, uint256 amount) external;
    function returnShares(address to, uint256 amount) external;
    function returnAssets(address to, uint256 amount) external;
}

interface IHook {
    function inspect(bytes calldata data) external view returns (bytes memory);
    function build(address prevHook, address account, bytes calldata data) external view returns (Execution[] memory);
    function setExecutionContext(address caller) external;
    function resetExecutionState(address caller) external;
    function getOutAmount(address caller) external view returns (uint256);
    function decodeUsePrevHookAmount(bytes calldata data) external pure returns (bool);
    function preExecute(address prevHook, address account, bytes calldata data) external;
    function postExecute(address prevHook, address account, bytes calldata data) external;
}
