// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value.
pragma solidity 0.8.37;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {AggregatorBase} from "./AggregatorBase.sol";
import {ValidateHookArgs} from "./Types.sol";

/// Merkle roots of the hooks that strategies may run: one for all, one for each.
abstract contract AggregatorHookRoots is AggregatorBase {
    function setHooksRootUpdateTimelock(uint256 newTimelock) external onlyGovernor {
        _hooksTimelock = newTimelock;
        emit HooksRootUpdateTimelockChanged(newTimelock);
    }

    function getHooksRootUpdateTimelock() external view returns (uint256) {
        return _hooksTimelock;
    }

    function proposeGlobalHooksRoot(bytes32 newRoot) external onlyGovernor {
        _globalHooks.proposed = newRoot;
        _globalHooks.effectiveTime = block.timestamp + _hooksTimelock;
        emit GlobalHooksRootUpdateProposed(newRoot, _globalHooks.effectiveTime);
    }

    function executeGlobalHooksRootUpdate() external {
        if (_globalHooks.proposed == bytes32(0)) revert NO_PENDING_GLOBAL_ROOT_CHANGE();
        (bytes32 old, bytes32 root) = _activate(_globalHooks);
        emit GlobalHooksRootUpdated(old, root);
    }

    function setGlobalHooksRootVetoStatus(bool vetoed) external onlyGovernor {
        _globalHooks.vetoed = vetoed;
        emit GlobalHooksRootVetoStatusChanged(vetoed, _globalHooks.active);
    }

    function getGlobalHooksRoot() external view returns (bytes32 root) {
        return _globalHooks.active;
    }

    function getProposedGlobalHooksRoot() external view returns (bytes32 root, uint256 effectiveTime) {
        return (_globalHooks.proposed, _globalHooks.effectiveTime);
    }

    function isGlobalHooksRootActive() external view returns (bool) {
        return _globalHooks.active != bytes32(0);
    }

    function isGlobalHooksRootVetoed() external view returns (bool vetoed) {
        return _globalHooks.vetoed;
    }

    function proposeStrategyHooksRoot(address strategy, bytes32 newRoot) external onlyMain(strategy) {
        Root storage hooks = _strategies[strategy].hooks;
        hooks.proposed = newRoot;
        hooks.effectiveTime = block.timestamp + _hooksTimelock;
        emit StrategyHooksRootUpdateProposed(strategy, msg.sender, newRoot, hooks.effectiveTime);
    }

    /// Nothing pending is NO_PENDING_MANAGER_CHANGE: production reuses that error.
    function executeStrategyHooksRootUpdate(address strategy) external known(strategy) {
        Root storage hooks = _strategies[strategy].hooks;
        if (hooks.proposed == bytes32(0)) revert NO_PENDING_MANAGER_CHANGE();
        (bytes32 old, bytes32 root) = _activate(hooks);
        emit StrategyHooksRootUpdated(strategy, old, root);
    }

    function setStrategyHooksRootVetoStatus(address strategy, bool vetoed) external onlyGovernor known(strategy) {
        _strategies[strategy].hooks.vetoed = vetoed;
        emit StrategyHooksRootVetoStatusChanged(strategy, vetoed, _strategies[strategy].hooks.active);
    }

    function getStrategyHooksRoot(address strategy) external view returns (bytes32 root) {
        return _strategies[strategy].hooks.active;
    }

    function getProposedStrategyHooksRoot(address strategy) external view returns (bytes32 root, uint256 effectiveTime) {
        return (_strategies[strategy].hooks.proposed, _strategies[strategy].hooks.effectiveTime);
    }

    function isStrategyHooksRootVetoed(address strategy) external view returns (bool vetoed) {
        return _strategies[strategy].hooks.vetoed;
    }

    function changeGlobalLeavesStatus(bytes32[] calldata leaves, bool[] calldata statuses, address strategy) external onlyMain(strategy) {
        if (leaves.length != statuses.length) revert MISMATCHED_ARRAY_LENGTHS();
        for (uint256 i; i < leaves.length; ++i) _strategies[strategy].banned[leaves[i]] = statuses[i];
        emit GlobalLeavesStatusChanged(strategy, leaves, statuses);
    }

    function validateHook(address strategy, ValidateHookArgs calldata args) public view returns (bool isValid) {
        Strategy storage s = _strategies[strategy];
        if (_globalHooks.vetoed || s.hooks.vetoed) return false;
        bytes32 leaf = keccak256(bytes.concat(keccak256(abi.encode(args.hookAddress, args.hookArgs))));
        if (!s.banned[leaf] && _proves(args.globalProof, _globalHooks.active, leaf)) return true;
        return _proves(args.strategyProof, s.hooks.active, leaf);
    }

    function validateHooks(address strategy, ValidateHookArgs[] calldata argsArray) external view returns (bool[] memory validHooks) {
        validHooks = new bool[](argsArray.length);
        for (uint256 i; i < argsArray.length; ++i) validHooks[i] = validateHook(strategy, argsArray[i]);
    }

    /// A one-leaf tree has the leaf as its root and an empty proof.
    function _proves(bytes32[] calldata proof, bytes32 root, bytes32 leaf) private pure returns (bool) {
        if (root == bytes32(0)) return false;
        return MerkleProof.verifyCalldata(proof, root, leaf);
    }

    function _activate(Root storage root) private returns (bytes32 old, bytes32 active) {
        if (block.timestamp < root.effectiveTime) revert ROOT_UPDATE_NOT_READY();
        old = root.active;
        active = root.proposed;
        root.active = active;
        root.proposed = bytes32(0);
        root.effectiveTime = 0;
    }
}
