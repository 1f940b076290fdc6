// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: a plain lock, no native coin.
pragma solidity 0.8.37;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {StrategyBase} from "./StrategyBase.sol";
import {StrategyFees} from "./StrategyFees.sol";
import {StrategyFlows} from "./StrategyFlows.sol";
import {
    ExecuteArgs, Execution, FeeConfig, IAggregator, IGovernor, IHook, IVault, SuperVaultState, ValidateHookArgs,
    YieldSource, YieldSourceInfo
} from "./Types.sol";

/// Holds the assets of one vault: yield sources, redeem requests, fees and the high-water mark.
contract DevStrategy is StrategyFlows, StrategyFees {
    using Math for uint256;

    constructor(address governor) StrategyBase(governor) {}

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

    function getVaultInfo() external view returns (address vault, address asset, uint8 vaultDecimals) {
        return (_vault, _asset, _vaultDecimals);
    }

    function getConfigInfo() external view returns (FeeConfig memory feeConfig) {
        return _fees;
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
}
