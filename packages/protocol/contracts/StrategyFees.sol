// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value.
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {StrategyBase} from "./StrategyBase.sol";
import {FeeConfig, IAggregator, IGovernor, IVault, Keys} from "./Types.sol";

/// The performance fee and the terms of both fees.
abstract contract StrategyFees is StrategyBase {
    using SafeERC20 for IERC20;
    using Math for uint256;

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
}
