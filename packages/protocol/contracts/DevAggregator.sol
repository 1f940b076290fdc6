// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: storage layout and gas.
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {AggregatorBase} from "./AggregatorBase.sol";
import {AggregatorHookRoots} from "./AggregatorHookRoots.sol";
import {AggregatorManagers} from "./AggregatorManagers.sol";
import {AggregatorPrices} from "./AggregatorPrices.sol";
import {AggregatorUpkeep} from "./AggregatorUpkeep.sol";
import {IEscrow, IStrategy, IVault, VaultCreationParams} from "./Types.sol";

/// Factory and registry of vaults, and the state of every strategy: price, pause, managers, upkeep, hook roots.
contract DevAggregator is AggregatorPrices, AggregatorManagers, AggregatorUpkeep, AggregatorHookRoots {
    using EnumerableSet for EnumerableSet.AddressSet;

    constructor(address governor, address vaultImpl, address strategyImpl, address escrowImpl)
        AggregatorBase(governor, vaultImpl, strategyImpl, escrowImpl)
    {}

    function createVault(VaultCreationParams calldata params) external returns (address superVault, address strategy, address escrow) {
        _checkCreation(params);
        uint256 nonce = _nonce++;
        bytes32 salt = keccak256(abi.encode(msg.sender, params.asset, params.name, params.symbol, nonce));
        superVault = Clones.cloneDeterministic(VAULT_IMPLEMENTATION, salt);
        escrow = Clones.cloneDeterministic(ESCROW_IMPLEMENTATION, salt);
        strategy = Clones.cloneDeterministic(STRATEGY_IMPLEMENTATION, salt);
        IVault(superVault).initialize(params.asset, params.name, params.symbol, strategy, escrow);
        IEscrow(escrow).initialize(superVault);
        IStrategy(strategy).initialize(superVault, params.feeConfig);
        _superVaults.push(superVault);
        _superVaultStrategies.push(strategy);
        _superVaultEscrows.push(escrow);
        _known[strategy] = true;
        _initState(strategy, params);
        emit VaultDeployed(superVault, strategy, escrow, params.asset, params.name, params.symbol, nonce);
        emit PPSUpdated(strategy, _strategies[strategy].pps, block.timestamp);
    }

    function _checkCreation(VaultCreationParams calldata params) private view {
        if (params.asset == address(0) || params.mainManager == address(0) || params.feeConfig.recipient == address(0)) {
            revert ZERO_ADDRESS();
        }
        if (bytes(params.name).length == 0 || bytes(params.symbol).length == 0) revert INVALID_VAULT_PARAMS();
        if (params.maxStaleness < SUPER_GOVERNOR.getMinStaleness()) revert MAX_STALENESS_TOO_LOW();
        if (params.minUpdateInterval >= params.maxStaleness) revert INVALID_VAULT_PARAMS();
        if (params.secondaryManagers.length > MAX_SECONDARY_MANAGERS) revert TOO_MANY_SECONDARY_MANAGERS();
    }

    /// Emits nothing about managers, intervals, threshold and fees: as in production they are read, not heard.
    function _initState(address strategy, VaultCreationParams calldata params) private {
        Strategy storage s = _strategies[strategy];
        s.pps = 10 ** _decimals(params.asset);
        s.lastUpdate = block.timestamp;
        s.minUpdateInterval = params.minUpdateInterval;
        s.maxStaleness = params.maxStaleness;
        s.deviationThreshold = DEFAULT_DEVIATION;
        s.mainManager = params.mainManager;
        for (uint256 i; i < params.secondaryManagers.length; ++i) {
            address manager = params.secondaryManagers[i];
            if (manager == address(0)) revert ZERO_ADDRESS();
            if (manager == params.mainManager) revert SECONDARY_MANAGER_CANNOT_BE_PRIMARY();
            if (!s.secondary.add(manager)) revert MANAGER_ALREADY_EXISTS();
        }
    }

    function _decimals(address asset) private view returns (uint8) {
        (bool ok, bytes memory data) = asset.staticcall(abi.encodeWithSignature("decimals()"));
        if (!ok || data.length < 32) revert INVALID_ASSET();
        return abi.decode(data, (uint8));
    }

    function getCurrentNonce() external view returns (uint256) {
        return _nonce;
    }

    function getAllSuperVaults() external view returns (address[] memory) {
        return _superVaults;
    }

    function getSuperVaultsCount() external view returns (uint256) {
        return _superVaults.length;
    }

    function getAllSuperVaultStrategies() external view returns (address[] memory) {
        return _superVaultStrategies;
    }

    function getSuperVaultStrategiesCount() external view returns (uint256) {
        return _superVaultStrategies.length;
    }

    function getAllSuperVaultEscrows() external view returns (address[] memory) {
        return _superVaultEscrows;
    }

    function getSuperVaultEscrowsCount() external view returns (uint256) {
        return _superVaultEscrows.length;
    }

    function superVaults(uint256 index) external view returns (address) {
        return _at(_superVaults, index);
    }

    function superVaultStrategies(uint256 index) external view returns (address) {
        return _at(_superVaultStrategies, index);
    }

    function superVaultEscrows(uint256 index) external view returns (address) {
        return _at(_superVaultEscrows, index);
    }

    function _at(address[] storage list, uint256 index) private view returns (address) {
        if (index >= list.length) revert INDEX_OUT_OF_BOUNDS();
        return list[index];
    }
}
