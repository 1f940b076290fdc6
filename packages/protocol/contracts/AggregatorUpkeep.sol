// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value.
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {AggregatorBase} from "./AggregatorBase.sol";
import {Keys} from "./Types.sol";

/// What each strategy has paid for its price updates.
abstract contract AggregatorUpkeep is AggregatorBase {
    using SafeERC20 for IERC20;

    function depositUpkeep(address strategy, uint256 amount) external known(strategy) {
        if (amount == 0) revert ZERO_AMOUNT();
        _upkeepToken().safeTransferFrom(msg.sender, address(this), amount);
        _strategies[strategy].upkeep += amount;
        emit UpkeepDeposited(strategy, msg.sender, amount);
    }

    function proposeWithdrawUpkeep(address strategy) external onlyMain(strategy) {
        Strategy storage s = _strategies[strategy];
        if (s.upkeep == 0) revert ZERO_AMOUNT();
        s.withdrawal = s.upkeep;
        s.withdrawalEffectiveTime = block.timestamp + UPKEEP_WITHDRAWAL_TIMELOCK;
        emit UpkeepWithdrawalProposed(strategy, msg.sender, s.withdrawal, s.withdrawalEffectiveTime);
    }

    function executeWithdrawUpkeep(address strategy) external known(strategy) {
        Strategy storage s = _strategies[strategy];
        if (s.withdrawalEffectiveTime == 0) revert UPKEEP_WITHDRAWAL_NOT_FOUND();
        if (block.timestamp < s.withdrawalEffectiveTime) revert UPKEEP_WITHDRAWAL_NOT_READY();
        uint256 amount = s.withdrawal < s.upkeep ? s.withdrawal : s.upkeep;
        s.withdrawal = 0;
        s.withdrawalEffectiveTime = 0;
        s.upkeep -= amount;
        _upkeepToken().safeTransfer(s.mainManager, amount);
        emit UpkeepWithdrawn(strategy, s.mainManager, amount);
    }

    function claimUpkeep(uint256 amount) external {
        if (msg.sender != address(SUPER_GOVERNOR)) revert CALLER_NOT_AUTHORIZED();
        if (amount == 0) revert ZERO_AMOUNT();
        if (amount > claimableUpkeep) revert INSUFFICIENT_UPKEEP();
        claimableUpkeep -= amount;
        address bank = SUPER_GOVERNOR.getAddress(Keys.SUPER_BANK);
        _upkeepToken().safeTransfer(bank, amount);
        emit UpkeepClaimed(bank, amount);
    }

    function getUpkeepBalance(address strategy) external view returns (uint256 balance) {
        return _strategies[strategy].upkeep;
    }

    function pendingUpkeepWithdrawals(address strategy) external view returns (uint256 amount, uint256 effectiveTime) {
        return (_strategies[strategy].withdrawal, _strategies[strategy].withdrawalEffectiveTime);
    }

    function _upkeepToken() private view returns (IERC20) {
        return IERC20(SUPER_GOVERNOR.getAddress(Keys.UPKEEP_TOKEN));
    }
}
