// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value.
pragma solidity 0.8.37;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {AggregatorBase} from "./AggregatorBase.sol";
import {IStrategy} from "./Types.sol";

/// Managers of each strategy and how they change.
abstract contract AggregatorManagers is AggregatorBase {
    using EnumerableSet for EnumerableSet.AddressSet;

    function addSecondaryManager(address strategy, address manager) external onlyMain(strategy) {
        Strategy storage s = _strategies[strategy];
        if (manager == address(0)) revert ZERO_ADDRESS();
        if (manager == s.mainManager) revert SECONDARY_MANAGER_CANNOT_BE_PRIMARY();
        if (s.secondary.contains(manager)) revert MANAGER_ALREADY_EXISTS();
        if (s.secondary.length() >= MAX_SECONDARY_MANAGERS) revert TOO_MANY_SECONDARY_MANAGERS();
        s.secondary.add(manager);
        emit SecondaryManagerAdded(strategy, manager);
    }

    function removeSecondaryManager(address strategy, address manager) external onlyMain(strategy) {
        if (!_strategies[strategy].secondary.remove(manager)) revert MANAGER_NOT_FOUND();
        emit SecondaryManagerRemoved(strategy, manager);
    }

    function changePrimaryManager(address strategy, address newManager, address feeRecipient) external onlyGovernor known(strategy) {
        if (newManager == address(0) || feeRecipient == address(0)) revert ZERO_ADDRESS();
        Strategy storage s = _strategies[strategy];
        address old = s.mainManager;
        if (newManager == old) revert MANAGER_ALREADY_EXISTS();
        address[] memory cleared = s.secondary.values();
        for (uint256 i; i < cleared.length; ++i) {
            s.secondary.remove(cleared[i]);
            emit SecondaryManagerRemoved(strategy, cleared[i]);
        }
        _replaceMain(strategy, s, newManager, feeRecipient);
        emit OldPrimaryManagerRemoved(strategy, old);
        emit PrimaryManagerChanged(strategy, old, newManager, feeRecipient);
    }

    function proposeChangePrimaryManager(address strategy, address newManager, address feeRecipient) external known(strategy) {
        Strategy storage s = _strategies[strategy];
        if (!s.secondary.contains(msg.sender)) revert UNAUTHORIZED_UPDATE_AUTHORITY();
        if (newManager == address(0) || feeRecipient == address(0)) revert ZERO_ADDRESS();
        if (newManager == s.mainManager) revert MANAGER_ALREADY_EXISTS();
        s.proposedManager = newManager;
        s.proposedFeeRecipient = feeRecipient;
        s.managerEffectiveTime = block.timestamp + MANAGER_TIMELOCK;
        emit PrimaryManagerChangeProposed(strategy, msg.sender, newManager, feeRecipient, s.managerEffectiveTime);
    }

    function cancelChangePrimaryManager(address strategy) external onlyMain(strategy) {
        Strategy storage s = _strategies[strategy];
        if (s.proposedManager == address(0)) revert NO_PENDING_MANAGER_CHANGE();
        emit PrimaryManagerChangeCancelled(strategy, s.proposedManager);
        _dropManagerChange(s);
    }

    /// Clears all secondaries without a word, as production does.
    function executeChangePrimaryManager(address strategy) external known(strategy) {
        Strategy storage s = _strategies[strategy];
        if (s.proposedManager == address(0)) revert NO_PENDING_MANAGER_CHANGE();
        if (block.timestamp < s.managerEffectiveTime) revert TIMELOCK_NOT_EXPIRED();
        address old = s.mainManager;
        address next = s.proposedManager;
        address recipient = s.proposedFeeRecipient;
        s.secondary.clear();
        _replaceMain(strategy, s, next, recipient);
        emit PrimaryManagerChanged(strategy, old, next, recipient);
    }

    function _replaceMain(address strategy, Strategy storage s, address newManager, address feeRecipient) private {
        s.mainManager = newManager;
        _dropManagerChange(s);
        _dropInterval(s);
        s.hooks.proposed = bytes32(0);
        s.hooks.effectiveTime = 0;
        if (s.withdrawalEffectiveTime != 0) {
            s.withdrawal = 0;
            s.withdrawalEffectiveTime = 0;
            emit UpkeepWithdrawalCancelled(strategy);
        }
        IStrategy(strategy).changeFeeRecipient(feeRecipient);
    }

    function _dropManagerChange(Strategy storage s) private {
        s.proposedManager = address(0);
        s.proposedFeeRecipient = address(0);
        s.managerEffectiveTime = 0;
    }

    function resetHighWaterMark(address strategy) external onlyGovernor known(strategy) {
        uint256 pps = _strategies[strategy].pps;
        IStrategy(strategy).resetHighWaterMark(pps);
        emit HighWaterMarkReset(strategy, pps);
    }

    function getMainManager(address strategy) external view returns (address manager) {
        return _strategies[strategy].mainManager;
    }

    function getSecondaryManagers(address strategy) external view returns (address[] memory) {
        return _strategies[strategy].secondary.values();
    }

    function getPendingManagerChange(address strategy) external view returns (address proposedManager, uint256 effectiveTime) {
        return (_strategies[strategy].proposedManager, _strategies[strategy].managerEffectiveTime);
    }
}
