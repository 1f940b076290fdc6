// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: a plain lock, no native coin.
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Initializable} from "@openzeppelin/contracts-upgradeable/proxy/utils/Initializable.sol";
import {
    ExecuteArgs, Execution, FeeConfig, IAggregator, IGovernor, IHook, IVault, Keys, SuperVaultState,
    ValidateHookArgs, YieldSource, YieldSourceInfo
} from "./Types.sol";

/// Holds the assets of one vault: yield sources, redeem requests, fees and the high-water mark.
contract DevStrategy is Initializable {
    using SafeERC20 for IERC20;
    using Math for uint256;

    uint256 private constant BPS = 10_000;
    uint256 private constant MAX_PERFORMANCE_FEE = 5_100;
    uint256 private constant TIMELOCK = 1 weeks;
    uint256 private constant SKIM_LOCK = 12 hours;
    uint8 private constant PERFORMANCE_FEE_SHARE = 1;
    uint16 public constant DEFAULT_REDEEM_SLIPPAGE_BPS = 50;
    address public immutable SUPER_GOVERNOR;

    uint256 public PRECISION;
    address private _vault;
    address private _asset;
    uint8 private _vaultDecimals;
    FeeConfig private _fees;
    FeeConfig private _proposedFees;
    uint256 private _feesEffectiveTime;
    uint256 public vaultHwmPps;
    uint256 public ppsExpiration;
    uint256 public proposedPPSExpiryThreshold;
    uint256 public ppsExpiryThresholdEffectiveTime;
    address[] private _sources;
    mapping(address source => address oracle) private _oracleOf;
    mapping(address controller => SuperVaultState) private _state;
    bool private _locked;

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

    function initialize(address vaultAddress, FeeConfig calldata feeConfigData) external initializer {
        if (vaultAddress == address(0)) revert INVALID_VAULT();
        _checkFees(feeConfigData.performanceFeeBps, feeConfigData.managementFeeBps);
        _vault = vaultAddress;
        _asset = IVault(vaultAddress).asset();
        _vaultDecimals = IERC20Metadata(vaultAddress).decimals();
        PRECISION = 10 ** _vaultDecimals;
        _fees = feeConfigData;
        vaultHwmPps = PRECISION;
        ppsExpiration = 1 days;
        emit Initialized(vaultAddress);
    }

    // ---- Deposits

    function handleOperations4626Deposit(address controller, uint256 assetsGross) external onlyVault returns (uint256 sharesNet) {
        uint256 pps = _requireDepositable();
        uint256 fee = assetsGross.mulDiv(_fees.managementFeeBps, BPS, Math.Rounding.Ceil);
        sharesNet = (assetsGross - fee).mulDiv(PRECISION, pps);
        if (sharesNet == 0) revert INVALID_AMOUNT();
        _payEntryFee(controller, fee);
        emit DepositHandled(controller, assetsGross - fee, sharesNet);
    }

    function handleOperations4626Mint(address controller, uint256 sharesNet, uint256 assetsGross, uint256 assetsNet) external onlyVault {
        _requireDepositable();
        _payEntryFee(controller, assetsGross - assetsNet);
        emit DepositHandled(controller, assetsNet, sharesNet);
    }

    function quoteMintAssetsGross(uint256 shares) external view returns (uint256 assetsGross, uint256 assetsNet) {
        uint256 pps = getStoredPPS();
        if (pps == 0) revert INVALID_PPS();
        assetsNet = shares.mulDiv(pps, PRECISION, Math.Rounding.Ceil);
        uint256 bps = _fees.managementFeeBps;
        if (bps == 0) return (assetsNet, assetsNet);
        if (bps >= BPS) revert INVALID_AMOUNT();
        assetsGross = assetsNet.mulDiv(BPS, BPS - bps, Math.Rounding.Ceil);
    }

    function _payEntryFee(address controller, uint256 fee) private {
        if (fee == 0) return;
        IERC20(_asset).safeTransfer(_fees.recipient, fee);
        emit ManagementFeePaid(controller, _fees.recipient, fee, _fees.managementFeeBps);
    }

    // ---- Redemptions

    function handleOperations7540(uint8 op, address controller, address receiver, uint256 amount) external onlyVault {
        if (op == 0) _placeRequest(controller, amount);
        else if (op == 1) _placeCancel(controller);
        else if (op == 2) _claimCancel(controller);
        else if (op == 3) _claim(controller, receiver, amount);
        else revert ACTION_TYPE_DISALLOWED();
    }

    function _placeRequest(address controller, uint256 shares) private {
        uint256 pps = _requireUsable();
        SuperVaultState storage state = _state[controller];
        uint256 before = state.pendingRedeemRequest;
        state.averageRequestPPS = (before * state.averageRequestPPS + shares * pps) / (before + shares);
        state.pendingRedeemRequest = before + shares;
        emit RedeemRequestPlaced(controller, controller, shares);
    }

    function _placeCancel(address controller) private {
        SuperVaultState storage state = _state[controller];
        if (state.pendingRedeemRequest == 0) revert REQUEST_NOT_FOUND();
        if (state.pendingCancelRedeemRequest) revert CANCELLATION_REDEEM_REQUEST_PENDING();
        state.pendingCancelRedeemRequest = true;
        emit RedeemCancelRequestPlaced(controller);
    }

    function _claimCancel(address controller) private {
        uint256 shares = _state[controller].claimableCancelRedeemRequest;
        if (shares == 0) revert REQUEST_NOT_FOUND();
        _state[controller].claimableCancelRedeemRequest = 0;
        emit RedeemRequestCanceled(controller, shares);
    }

    function _claim(address controller, address receiver, uint256 assets) private {
        SuperVaultState storage state = _state[controller];
        if (assets == 0 || assets > state.maxWithdraw) revert INVALID_AMOUNT();
        state.maxWithdraw -= assets;
        if (state.maxWithdraw == 0) state.averageWithdrawPrice = 0;
        // As in production: receiver and controller stand in each other's place, and shares are always 0.
        emit RedeemRequestClaimed(receiver, controller, assets, 0);
    }

    function fulfillRedeemRequests(address[] calldata controllers, uint256[] calldata totalAssetsOut) external onlyAnyManager locked {
        uint256 count = controllers.length;
        if (count == 0) revert ZERO_LENGTH();
        if (count != totalAssetsOut.length) revert INVALID_ARRAY_LENGTH();
        uint256 pps = _requireUsable();
        uint256 burned;
        uint256 paid;
        for (uint256 i; i < count; ++i) {
            if (i > 0 && controllers[i] <= controllers[i - 1]) revert CONTROLLERS_NOT_SORTED_UNIQUE();
            burned += _fulfil(controllers[i], totalAssetsOut[i], pps);
            paid += totalAssetsOut[i];
        }
        if (IERC20(_asset).balanceOf(address(this)) < paid) revert INSUFFICIENT_LIQUIDITY();
        IVault(_vault).burnShares(burned);
        IERC20(_asset).safeTransfer(IVault(_vault).escrow(), paid);
        emit RedeemRequestsFulfilled(controllers, burned, pps);
    }

    function _fulfil(address controller, uint256 assets, uint256 pps) private returns (uint256 shares) {
        SuperVaultState storage state = _state[controller];
        shares = state.pendingRedeemRequest;
        if (shares == 0) revert ZERO_SHARE_FULFILLMENT_DISALLOWED();
        (uint256 theoretical, uint256 least) = _bounds(state, pps);
        if (assets < least || assets > theoretical) revert BOUNDS_EXCEEDED(least, theoretical, assets);
        uint256 open = state.averageWithdrawPrice == 0 ? 0 : state.maxWithdraw.mulDiv(PRECISION, state.averageWithdrawPrice);
        state.maxWithdraw += assets;
        state.averageWithdrawPrice = state.maxWithdraw.mulDiv(PRECISION, open + shares);
        state.pendingRedeemRequest = 0;
        state.averageRequestPPS = 0;
        state.pendingCancelRedeemRequest = false;
        emit RedeemClaimable(controller, assets, shares, state.averageWithdrawPrice);
    }

    function _bounds(SuperVaultState storage state, uint256 pps) private view returns (uint256 theoretical, uint256 least) {
        uint256 shares = state.pendingRedeemRequest;
        theoretical = shares.mulDiv(pps, PRECISION);
        uint256 slippage = state.redeemSlippageBps == 0 ? DEFAULT_REDEEM_SLIPPAGE_BPS : state.redeemSlippageBps;
        least = shares.mulDiv(state.averageRequestPPS, PRECISION).mulDiv(BPS - slippage, BPS);
    }

    function fulfillCancelRedeemRequests(address[] calldata controllers) external onlyAnyManager {
        if (controllers.length == 0) revert ZERO_LENGTH();
        for (uint256 i; i < controllers.length; ++i) {
            SuperVaultState storage state = _state[controllers[i]];
            if (!state.pendingCancelRedeemRequest) revert REQUEST_NOT_FOUND();
            state.claimableCancelRedeemRequest += state.pendingRedeemRequest;
            state.pendingRedeemRequest = 0;
            state.averageRequestPPS = 0;
            state.pendingCancelRedeemRequest = false;
            emit RedeemCancelRequestFulfilled(controllers[i], state.claimableCancelRedeemRequest);
        }
    }

    function setRedeemSlippage(uint16 slippageBps) external {
        if (slippageBps > BPS) revert INVALID_REDEEM_SLIPPAGE_BPS();
        _state[msg.sender].redeemSlippageBps = slippageBps;
        emit RedeemSlippageSet(msg.sender, slippageBps);
    }

    // ---- Hooks

    function executeHooks(ExecuteArgs calldata args) external payable onlyAnyManager locked {
        uint256 count = args.hooks.length;
        if (count == 0) revert ZERO_LENGTH();
        if (
            args.hookCalldata.length != count || args.expectedAssetsOrSharesOut.length != count
                || args.globalProofs.length != count || args.strategyProofs.length != count
        ) revert INVALID_ARRAY_LENGTH();
        address prevHook;
        for (uint256 i; i < count; ++i) {
            _executeHook(args, i, prevHook);
            prevHook = args.hooks[i];
        }
        emit HooksExecuted(args.hooks);
    }

    function _executeHook(ExecuteArgs calldata args, uint256 i, address prevHook) private {
        address hook = args.hooks[i];
        bytes calldata data = args.hookCalldata[i];
        IAggregator aggregator = _aggregator();
        if (!IGovernor(SUPER_GOVERNOR).isHookRegistered(hook)) revert INVALID_HOOK();
        ValidateHookArgs memory proof =
            ValidateHookArgs(hook, IHook(hook).inspect(data), args.globalProofs[i], args.strategyProofs[i]);
        if (!aggregator.validateHook(address(this), proof)) revert HOOK_VALIDATION_FAILED();
        IHook(hook).setExecutionContext(address(this));
        IHook(hook).preExecute(prevHook, address(this), data);
        Execution[] memory calls = IHook(hook).build(prevHook, address(this), data);
        for (uint256 j; j < calls.length; ++j) {
            if (calls[j].target == address(aggregator)) revert OPERATION_FAILED();
            (bool ok,) = calls[j].target.call{value: calls[j].value}(calls[j].callData);
            if (!ok) revert OPERATION_FAILED();
        }
        IHook(hook).postExecute(prevHook, address(this), data);
        IHook(hook).resetExecutionState(address(this));
        if (IHook(hook).getOutAmount(address(this)) < args.expectedAssetsOrSharesOut[i]) {
            revert MINIMUM_OUTPUT_AMOUNT_ASSETS_NOT_MET();
        }
        address target = data.length >= 52 ? address(bytes20(data[32:52])) : address(0);
        emit HookExecuted(hook, prevHook, target, IHook(hook).decodeUsePrevHookAmount(data), data);
    }

    // ---- Fees

    function skimPerformanceFee() external onlyAnyManager locked {
        IAggregator aggregator = _aggregator();
        uint256 unpausedAt = aggregator.getLastUnpauseTimestamp(address(this));
        if (unpausedAt != 0 && block.timestamp < unpausedAt + SKIM_LOCK) revert SKIM_TIMELOCK_ACTIVE();
        uint256 pps = _requireUsable();
        uint256 supply = IVault(_vault).totalSupply();
        if (pps <= vaultHwmPps || supply == 0) return;
        uint256 profit = (pps - vaultHwmPps).mulDiv(supply, PRECISION);
        uint256 fee = profit.mulDiv(_fees.performanceFeeBps, BPS, Math.Rounding.Ceil);
        if (fee == 0) return;
        if (IERC20(_asset).balanceOf(address(this)) < fee) revert NOT_ENOUGH_FREE_ASSETS_FEE_SKIM();
        uint256 protocolFee = fee.mulDiv(IGovernor(SUPER_GOVERNOR).getFee(PERFORMANCE_FEE_SHARE), BPS);
        IERC20(_asset).safeTransfer(IGovernor(SUPER_GOVERNOR).getAddress(Keys.TREASURY), protocolFee);
        IERC20(_asset).safeTransfer(_fees.recipient, fee - protocolFee);
        emit PerformanceFeeSkimmed(fee, protocolFee);
        uint256 newPps = pps - fee.mulDiv(PRECISION, supply, Math.Rounding.Ceil);
        if (newPps == 0) revert INVALID_PPS();
        vaultHwmPps = newPps;
        emit HWMPPSUpdated(newPps, pps, profit, fee);
        aggregator.updatePPSAfterSkim(newPps, fee);
    }

    function proposeVaultFeeConfigUpdate(uint256 performanceFeeBps, uint256 managementFeeBps, address recipient) external onlyMain {
        _checkFees(performanceFeeBps, managementFeeBps);
        if (recipient == address(0)) revert ZERO_ADDRESS();
        _proposedFees = FeeConfig(performanceFeeBps, managementFeeBps, recipient);
        _feesEffectiveTime = block.timestamp + TIMELOCK;
        emit VaultFeeConfigProposed(performanceFeeBps, managementFeeBps, recipient, _feesEffectiveTime);
    }

    function executeVaultFeeConfigUpdate() external onlyMain {
        if (_feesEffectiveTime == 0) revert NO_PROPOSAL();
        if (block.timestamp < _feesEffectiveTime) revert INVALID_TIMESTAMP();
        _fees = _proposedFees;
        delete _proposedFees;
        _feesEffectiveTime = 0;
        emit VaultFeeConfigUpdated(_fees.performanceFeeBps, _fees.managementFeeBps, _fees.recipient);
        uint256 pps = getStoredPPS();
        emit HWMPPSUpdated(pps, vaultHwmPps, 0, 0);
        vaultHwmPps = pps;
    }

    function changeFeeRecipient(address newRecipient) external onlyAggregator {
        _fees.recipient = newRecipient;
        emit FeeRecipientChanged(newRecipient);
    }

    function resetHighWaterMark(uint256 newHwmPps) external onlyAggregator {
        if (newHwmPps == 0) revert INVALID_PPS();
        vaultHwmPps = newHwmPps;
        emit HighWaterMarkReset(newHwmPps);
    }

    function _checkFees(uint256 performanceFeeBps, uint256 managementFeeBps) private pure {
        if (performanceFeeBps > MAX_PERFORMANCE_FEE || managementFeeBps > BPS) revert INVALID_PERFORMANCE_FEE_BPS();
    }

    // ---- Settings

    function managePPSExpiration(uint8 action, uint256 newExpiration) external onlyMain {
        if (action == 0) {
            if (newExpiration < 1 minutes || newExpiration > 1 weeks) revert INVALID_PPS_EXPIRY_THRESHOLD();
            uint256 current = proposedPPSExpiryThreshold;
            proposedPPSExpiryThreshold = newExpiration;
            ppsExpiryThresholdEffectiveTime = block.timestamp + TIMELOCK;
            emit PPSExpirationProposed(current, newExpiration, ppsExpiryThresholdEffectiveTime);
        } else if (action == 1) {
            if (proposedPPSExpiryThreshold == 0) revert NO_PROPOSAL();
            if (block.timestamp < ppsExpiryThresholdEffectiveTime) revert INVALID_TIMESTAMP();
            ppsExpiration = proposedPPSExpiryThreshold;
            _dropExpiryProposal();
            emit PPSExpiryThresholdUpdated(ppsExpiration);
        } else if (action == 2) {
            if (proposedPPSExpiryThreshold == 0) revert NO_PROPOSAL();
            _dropExpiryProposal();
            emit PPSExpiryThresholdProposalCanceled();
        } else {
            revert ACTION_TYPE_DISALLOWED();
        }
    }

    function _dropExpiryProposal() private {
        proposedPPSExpiryThreshold = 0;
        ppsExpiryThresholdEffectiveTime = 0;
    }

    function manageYieldSource(address source, address oracle, uint8 actionType) external onlyMain {
        _manageYieldSource(source, oracle, actionType);
    }

    function manageYieldSources(address[] calldata sources, address[] calldata oracles, uint8[] calldata actionTypes) external onlyMain {
        if (sources.length == 0) revert ZERO_LENGTH();
        if (sources.length != oracles.length || sources.length != actionTypes.length) revert INVALID_ARRAY_LENGTH();
        for (uint256 i; i < sources.length; ++i) _manageYieldSource(sources[i], oracles[i], actionTypes[i]);
    }

    function _manageYieldSource(address source, address oracle, uint8 action) private {
        if (source == address(0) || (action != 2 && oracle == address(0))) revert ZERO_ADDRESS();
        address current = _oracleOf[source];
        if (action == 0) {
            if (current != address(0)) revert YIELD_SOURCE_ALREADY_EXISTS();
            _oracleOf[source] = oracle;
            _sources.push(source);
            emit YieldSourceAdded(source, oracle);
        } else if (action == 1) {
            if (current == address(0)) revert YIELD_SOURCE_NOT_FOUND();
            _oracleOf[source] = oracle;
            emit YieldSourceOracleUpdated(source, current, oracle);
        } else if (action == 2) {
            if (current == address(0)) revert YIELD_SOURCE_NOT_FOUND();
            delete _oracleOf[source];
            for (uint256 i; i < _sources.length; ++i) {
                if (_sources[i] != source) continue;
                _sources[i] = _sources[_sources.length - 1];
                _sources.pop();
                break;
            }
            emit YieldSourceRemoved(source);
        } else {
            revert ACTION_TYPE_DISALLOWED();
        }
    }

    // ---- Views

    function getVaultInfo() external view returns (address vault, address asset, uint8 vaultDecimals) {
        return (_vault, _asset, _vaultDecimals);
    }

    function getConfigInfo() external view returns (FeeConfig memory feeConfig) {
        return _fees;
    }

    function getStoredPPS() public view returns (uint256) {
        return _aggregator().getPPS(address(this));
    }

    function vaultUnrealizedProfit() external view returns (uint256) {
        uint256 pps = getStoredPPS();
        return pps <= vaultHwmPps ? 0 : (pps - vaultHwmPps).mulDiv(IVault(_vault).totalSupply(), PRECISION);
    }

    function getYieldSource(address source) external view returns (YieldSource memory) {
        return YieldSource(_oracleOf[source]);
    }

    function getYieldSourcesList() external view returns (YieldSourceInfo[] memory list) {
        list = new YieldSourceInfo[](_sources.length);
        for (uint256 i; i < list.length; ++i) list[i] = YieldSourceInfo(_sources[i], _oracleOf[_sources[i]]);
    }

    function getYieldSources() external view returns (address[] memory) {
        return _sources;
    }

    function getYieldSourcesCount() external view returns (uint256) {
        return _sources.length;
    }

    function containsYieldSource(address source) external view returns (bool) {
        return _oracleOf[source] != address(0);
    }

    function getSuperVaultState(address controller) external view returns (SuperVaultState memory state) {
        return _state[controller];
    }

    function getAverageWithdrawPrice(address controller) external view returns (uint256 averageWithdrawPrice) {
        return _state[controller].averageWithdrawPrice;
    }

    function pendingRedeemRequest(address controller) external view returns (uint256 pendingShares) {
        return _state[controller].pendingRedeemRequest;
    }

    function pendingCancelRedeemRequest(address controller) external view returns (bool isPending) {
        return _state[controller].pendingCancelRedeemRequest;
    }

    function claimableCancelRedeemRequest(address controller) external view returns (uint256 claimableShares) {
        return _state[controller].claimableCancelRedeemRequest;
    }

    function claimableWithdraw(address controller) external view returns (uint256 claimableAssets) {
        return _state[controller].maxWithdraw;
    }

    function previewExactRedeem(address controller) public view returns (uint256 shares, uint256 theoreticalAssets, uint256 minAssets) {
        shares = _state[controller].pendingRedeemRequest;
        (theoreticalAssets, minAssets) = _bounds(_state[controller], getStoredPPS());
    }

    function previewExactRedeemBatch(address[] calldata controllers) external view returns (uint256 totalTheoAssets, uint256[] memory individualAssets) {
        individualAssets = new uint256[](controllers.length);
        for (uint256 i; i < controllers.length; ++i) {
            (, individualAssets[i],) = previewExactRedeem(controllers[i]);
            totalTheoAssets += individualAssets[i];
        }
    }

    // ---- The price's state

    function _requireDepositable() private view returns (uint256) {
        if (_aggregator().isGlobalHooksRootVetoed()) revert OPERATIONS_BLOCKED_BY_VETO();
        return _requireUsable();
    }

    function _requireUsable() private view returns (uint256 pps) {
        IAggregator aggregator = _aggregator();
        if (aggregator.isStrategyPaused(address(this))) revert STRATEGY_PAUSED();
        if (aggregator.isPPSStale(address(this))) revert STALE_PPS();
        if (block.timestamp - aggregator.getLastUpdateTimestamp(address(this)) > ppsExpiration) revert PPS_EXPIRED();
        pps = aggregator.getPPS(address(this));
        if (pps == 0) revert INVALID_PPS();
    }

    function _aggregator() private view returns (IAggregator) {
        return IAggregator(IGovernor(SUPER_GOVERNOR).getAddress(Keys.AGGREGATOR));
    }
}
