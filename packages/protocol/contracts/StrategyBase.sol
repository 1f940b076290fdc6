// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: a plain lock.
pragma solidity 0.8.37;

import {Initializable} from "@openzeppelin/contracts-upgradeable/proxy/utils/Initializable.sol";
import {FeeConfig, IAggregator, IGovernor, Keys, SuperVaultState} from "./Types.sol";

/// State, events and errors of a strategy, who is let in, and when its price may be used.
abstract contract StrategyBase is Initializable {
    uint256 internal constant BPS = 10_000;
    uint256 internal constant MAX_PERFORMANCE_FEE = 5_100;
    uint256 internal constant TIMELOCK = 1 weeks;
    uint256 internal constant SKIM_LOCK = 12 hours;
    uint8 internal constant PERFORMANCE_FEE_SHARE = 1;
    uint16 public constant DEFAULT_REDEEM_SLIPPAGE_BPS = 50;
    address public immutable SUPER_GOVERNOR;

    uint256 public PRECISION;
    address internal _vault;
    address internal _asset;
    uint8 internal _vaultDecimals;
    FeeConfig internal _fees;
    FeeConfig internal _proposedFees;
    uint256 internal _feesEffectiveTime;
    uint256 public vaultHwmPps;
    uint256 public ppsExpiration;
    uint256 public proposedPPSExpiryThreshold;
    uint256 public ppsExpiryThresholdEffectiveTime;
    address[] internal _sources;
    mapping(address source => address oracle) internal _oracleOf;
    mapping(address controller => SuperVaultState) internal _state;
    bool internal _locked;

    event Initialized(address indexed vault);
    event SuperGovernorSet(address indexed superGovernor);
    event YieldSourceAdded(address indexed source, address indexed oracle);
    event YieldSourceOracleUpdated(address indexed source, address indexed oldOracle, address indexed newOracle);
    event YieldSourceRemoved(address indexed source);
    event VaultFeeConfigProposed(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient, uint256 effectiveTime);
    event VaultFeeConfigUpdated(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient);
    event FeeRecipientChanged(address indexed newRecipient);
    event ManagementFeePaid(address indexed controller, address indexed recipient, uint256 feeAssets, uint256 feeBps);
    event PerformanceFeeSkimmed(uint256 totalFee, uint256 superformFee);
    event HWMPPSUpdated(uint256 newHwmPps, uint256 previousPps, uint256 profit, uint256 feeCollected);
    event HighWaterMarkReset(uint256 newHwmPps);
    event HooksExecuted(address[] hooks);
    event HookExecuted(address indexed hook, address indexed prevHook, address indexed targetedYieldSource, bool usePrevHookAmount, bytes hookCalldata);
    event DepositHandled(address indexed controller, uint256 assets, uint256 shares);
    event RedeemRequestPlaced(address indexed controller, address indexed owner, uint256 shares);
    event RedeemClaimable(address indexed controller, uint256 assetsFulfilled, uint256 sharesFulfilled, uint256 averageWithdrawPrice);
    event RedeemRequestsFulfilled(address[] controllers, uint256 processedShares, uint256 currentPPS);
    event RedeemRequestClaimed(address indexed controller, address indexed receiver, uint256 assets, uint256 shares);
    event RedeemCancelRequestPlaced(address indexed controller);
    event RedeemCancelRequestFulfilled(address indexed controller, uint256 shares);
    event RedeemRequestCanceled(address indexed controller, uint256 shares);
    event RedeemSlippageSet(address indexed controller, uint16 slippageBps);
    event PPSExpirationProposed(uint256 currentProposedThreshold, uint256 ppsExpiration, uint256 effectiveTime);
    event PPSExpiryThresholdUpdated(uint256 ppsExpiration);
    event PPSExpiryThresholdProposalCanceled();
    event PPSUpdated(uint256 newPPS, uint256 calculationBlock);

    error ZERO_LENGTH();
    error INVALID_HOOK();
    error ZERO_ADDRESS();
    error ACCESS_DENIED();
    error INVALID_AMOUNT();
    error OPERATION_FAILED();
    error INVALID_TIMESTAMP();
    error REQUEST_NOT_FOUND();
    error INVALID_ARRAY_LENGTH();
    error ACTION_TYPE_DISALLOWED();
    error YIELD_SOURCE_NOT_FOUND();
    error YIELD_SOURCE_ALREADY_EXISTS();
    error INVALID_PERFORMANCE_FEE_BPS();
    error MINIMUM_OUTPUT_AMOUNT_ASSETS_NOT_MET();
    error MANAGER_NOT_AUTHORIZED();
    error INVALID_PPS();
    error INVALID_VAULT();
    error INVALID_ASSET();
    error OPERATIONS_BLOCKED_BY_VETO();
    error HOOK_VALIDATION_FAILED();
    error STRATEGY_PAUSED();
    error NO_PROPOSAL();
    error INVALID_REDEEM_SLIPPAGE_BPS();
    error CANCELLATION_REDEEM_REQUEST_PENDING();
    error STALE_PPS();
    error PPS_EXPIRED();
    error INVALID_PPS_EXPIRY_THRESHOLD();
    error BOUNDS_EXCEEDED(uint256 minAllowed, uint256 maxAllowed, uint256 actual);
    error INSUFFICIENT_LIQUIDITY();
    error CONTROLLERS_NOT_SORTED_UNIQUE();
    error ZERO_SHARE_FULFILLMENT_DISALLOWED();
    error NOT_ENOUGH_FREE_ASSETS_FEE_SKIM();
    error SKIM_TIMELOCK_ACTIVE();

    modifier locked() {
        if (_locked) revert OPERATION_FAILED();
        _locked = true;
        _;
        _locked = false;
    }

    modifier onlyVault() {
        if (msg.sender != _vault) revert ACCESS_DENIED();
        _;
    }

    modifier onlyAggregator() {
        if (msg.sender != address(_aggregator())) revert ACCESS_DENIED();
        _;
    }

    modifier onlyMain() {
        if (!_aggregator().isMainManager(msg.sender, address(this))) revert MANAGER_NOT_AUTHORIZED();
        _;
    }

    modifier onlyAnyManager() {
        if (!_aggregator().isAnyManager(msg.sender, address(this))) revert MANAGER_NOT_AUTHORIZED();
        _;
    }

    constructor(address governor) {
        if (governor == address(0)) revert ZERO_ADDRESS();
        SUPER_GOVERNOR = governor;
        emit SuperGovernorSet(governor);
        _disableInitializers();
    }

    function getStoredPPS() public view returns (uint256) {
        return _aggregator().getPPS(address(this));
    }

    function _requireDepositable() internal view returns (uint256) {
        if (_aggregator().isGlobalHooksRootVetoed()) revert OPERATIONS_BLOCKED_BY_VETO();
        return _requireUsable();
    }

    function _requireUsable() internal view returns (uint256 pps) {
        IAggregator aggregator = _aggregator();
        if (aggregator.isStrategyPaused(address(this))) revert STRATEGY_PAUSED();
        if (aggregator.isPPSStale(address(this))) revert STALE_PPS();
        if (block.timestamp - aggregator.getLastUpdateTimestamp(address(this)) > ppsExpiration) revert PPS_EXPIRED();
        pps = aggregator.getPPS(address(this));
        if (pps == 0) revert INVALID_PPS();
    }

    function _aggregator() internal view returns (IAggregator) {
        return IAggregator(IGovernor(SUPER_GOVERNOR).getAddress(Keys.AGGREGATOR));
    }

    function _checkFees(uint256 performanceFeeBps, uint256 managementFeeBps) internal pure {
        if (performanceFeeBps > MAX_PERFORMANCE_FEE || managementFeeBps > BPS) revert INVALID_PERFORMANCE_FEE_BPS();
    }
}
