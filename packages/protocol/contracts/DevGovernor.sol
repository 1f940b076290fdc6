// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: upkeep costs gas-per-entry times a settable rate;
// no feed administration, no SuperBank roots.
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {IAggregator, Keys} from "./Types.sol";

/// Registry of addresses, roles, validators, hooks, fees and upkeep; the aggregator's governance goes through it.
contract DevGovernor is AccessControl {
    using EnumerableSet for EnumerableSet.AddressSet;

    bytes32 public constant SUPER_GOVERNOR_ROLE = keccak256("SUPER_GOVERNOR_ROLE");
    bytes32 public constant GOVERNOR_ROLE = keccak256("GOVERNOR_ROLE");
    bytes32 public constant BANK_MANAGER_ROLE = keccak256("BANK_MANAGER_ROLE");
    bytes32 public constant GAS_MANAGER_ROLE = keccak256("GAS_MANAGER_ROLE");
    bytes32 public constant ORACLE_MANAGER_ROLE = keccak256("ORACLE_MANAGER_ROLE");
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");
    bytes32 public constant SUPER_VAULT_AGGREGATOR = Keys.AGGREGATOR;
    bytes32 public constant ECDSAPPSORACLE = keccak256("ECDSAPPSORACLE");
    bytes32 public constant SUPER_ORACLE = keccak256("SUPER_ORACLE");
    bytes32 public constant SUPER_BANK = Keys.SUPER_BANK;
    bytes32 public constant UPKEEP_TOKEN = Keys.UPKEEP_TOKEN;
    bytes32 public constant UP = keccak256("UP");
    bytes32 public constant TREASURY = Keys.TREASURY;
    bytes32 public constant SUP_STRATEGY = keccak256("SUP_STRATEGY");
    uint256 private constant TIMELOCK = 7 days;
    uint256 private constant BPS = 10_000;

    struct Proposal { uint256 value; uint256 effectiveTime; }

    mapping(bytes32 key => address) private _registry;
    EnumerableSet.AddressSet private _hooks;
    EnumerableSet.AddressSet private _validators;
    bytes[] private _validatorPublicKeys;
    uint256 private _validatorVersion;
    uint256 private _quorum;
    address private _activeOracle;
    Proposal private _oracleProposal;
    mapping(uint8 feeType => uint256) private _fees;
    mapping(uint8 feeType => Proposal) private _feeProposals;
    mapping(address oracle => uint256) private _gasPerEntry;
    uint256 private _minStaleness = 300;
    Proposal private _minStalenessProposal;
    bool private _upkeepEnabled;
    Proposal private _upkeepProposal;
    bool private _takeoversFrozen;
    /// Upkeep token (18 decimals) per unit of gas; stands in for the price oracles of production.
    uint256 public upkeepRate = 1e12;

    event AddressSet(bytes32 indexed key, address indexed oldValue, address indexed value);
    event HookApproved(address indexed hook);
    event HookRemoved(address indexed hook);
    event ValidatorConfigSet(uint256 version, address[] validators, bytes[] validatorPublicKeys, uint256 quorum, bytes offchainConfig);
    event FeeProposed(uint8 indexed feeType, uint256 value, uint256 effectiveTime);
    event FeeUpdated(uint8 indexed feeType, uint256 value);
    event ActivePPSOracleSet(address indexed oracle);
    event ActivePPSOracleProposed(address indexed oracle, uint256 effectiveTime);
    event ActivePPSOracleChanged(address indexed oldOracle, address indexed newOracle);
    event ManagerTakeoversFrozen();
    event UpkeepPaymentsChangeProposed(bool enabled, uint256 effectiveTime);
    event UpkeepPaymentsChanged(bool enabled);
    event MinStalenessProposed(uint256 newMinStaleness, uint256 effectiveTime);
    event MinStalenessChanged(uint256 newMinStaleness);
    event GasInfoSet(address indexed oracle, uint256 gasIncreasePerEntryBatch);

    error CONTRACT_NOT_FOUND();
    error INVALID_ADDRESS();
    error HOOK_NOT_APPROVED();
    error INVALID_FEE_VALUE();
    error NO_PROPOSED_FEE(uint8 feeType);
    error TIMELOCK_NOT_EXPIRED();
    error VALIDATOR_ALREADY_REGISTERED();
    error MUST_USE_TIMELOCK_FOR_CHANGE();
    error INVALID_QUORUM();
    error ARRAY_LENGTH_MISMATCH();
    error EMPTY_VALIDATOR_ARRAY();
    error NO_ACTIVE_PPS_ORACLE();
    error NO_PROPOSED_PPS_ORACLE();
    error MANAGER_TAKEOVERS_FROZEN();
    error NO_PROPOSED_MIN_STALENESS();
    error MAX_STALENESS_TOO_LOW();
    error NO_PENDING_CHANGE();
    error INVALID_GAS_INFO();

    /// The first holder of every role. Upkeep begins switched on, as a devnet has no week to wait.
    constructor(address admin) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(SUPER_GOVERNOR_ROLE, admin);
        _grantRole(GOVERNOR_ROLE, admin);
        _grantRole(BANK_MANAGER_ROLE, admin);
        _grantRole(GAS_MANAGER_ROLE, admin);
        _grantRole(ORACLE_MANAGER_ROLE, admin);
        _grantRole(GUARDIAN_ROLE, admin);
        _fees[1] = 5_000;
        _upkeepEnabled = true;
    }

    function setUpkeepRate(uint256 rate) external onlyRole(GAS_MANAGER_ROLE) {
        upkeepRate = rate;
    }

    // ---- Registry

    function setAddress(bytes32 key, address value) external onlyRole(SUPER_GOVERNOR_ROLE) {
        if (value == address(0)) revert INVALID_ADDRESS();
        emit AddressSet(key, _registry[key], value);
        _registry[key] = value;
    }

    function getAddress(bytes32 key) public view returns (address value) {
        value = _registry[key];
        if (value == address(0)) revert CONTRACT_NOT_FOUND();
    }

    // ---- The aggregator's governance

    function changePrimaryManager(address strategy, address newManager, address feeRecipient) external onlyRole(SUPER_GOVERNOR_ROLE) {
        if (_takeoversFrozen) revert MANAGER_TAKEOVERS_FROZEN();
        _aggregator().changePrimaryManager(strategy, newManager, feeRecipient);
    }

    function resetHighWaterMark(address strategy) external onlyRole(SUPER_GOVERNOR_ROLE) {
        _aggregator().resetHighWaterMark(strategy);
    }

    function freezeManagerTakeover() external onlyRole(SUPER_GOVERNOR_ROLE) {
        if (_takeoversFrozen) revert MANAGER_TAKEOVERS_FROZEN();
        _takeoversFrozen = true;
        emit ManagerTakeoversFrozen();
    }

    function isManagerTakeoverFrozen() external view returns (bool) {
        return _takeoversFrozen;
    }

    function changeHooksRootUpdateTimelock(uint256 newTimelock) external onlyRole(SUPER_GOVERNOR_ROLE) {
        _aggregator().setHooksRootUpdateTimelock(newTimelock);
    }

    function proposeGlobalHooksRoot(bytes32 newRoot) external onlyRole(GOVERNOR_ROLE) {
        _aggregator().proposeGlobalHooksRoot(newRoot);
    }

    function setGlobalHooksRootVetoStatus(bool vetoed) external onlyRole(GUARDIAN_ROLE) {
        _aggregator().setGlobalHooksRootVetoStatus(vetoed);
    }

    function setStrategyHooksRootVetoStatus(address strategy, bool vetoed) external onlyRole(GUARDIAN_ROLE) {
        _aggregator().setStrategyHooksRootVetoStatus(strategy, vetoed);
    }

    function executeUpkeepClaim(uint256 amount) external onlyRole(GOVERNOR_ROLE) {
        _aggregator().claimUpkeep(amount);
    }

    // ---- Hooks

    function registerHook(address hook) external onlyRole(GOVERNOR_ROLE) {
        if (hook == address(0)) revert INVALID_ADDRESS();
        if (_hooks.add(hook)) emit HookApproved(hook);
    }

    function unregisterHook(address hook) external onlyRole(GOVERNOR_ROLE) {
        if (!_hooks.remove(hook)) revert HOOK_NOT_APPROVED();
        emit HookRemoved(hook);
    }

    function isHookRegistered(address hook) external view returns (bool) {
        return _hooks.contains(hook);
    }

    function getRegisteredHooks() external view returns (address[] memory) {
        return _hooks.values();
    }

    // ---- Validators

    function setValidatorConfig(
        uint256 version,
        address[] calldata validators,
        bytes[] calldata validatorPublicKeys,
        uint256 quorum,
        bytes calldata offchainConfig
    ) external onlyRole(GOVERNOR_ROLE) {
        if (validators.length == 0) revert EMPTY_VALIDATOR_ARRAY();
        if (validators.length != validatorPublicKeys.length) revert ARRAY_LENGTH_MISMATCH();
        if (quorum == 0 || quorum > validators.length) revert INVALID_QUORUM();
        _validators.clear();
        delete _validatorPublicKeys;
        for (uint256 i; i < validators.length; ++i) {
            if (validators[i] == address(0)) revert INVALID_ADDRESS();
            if (!_validators.add(validators[i])) revert VALIDATOR_ALREADY_REGISTERED();
            _validatorPublicKeys.push(validatorPublicKeys[i]);
        }
        _validatorVersion = version;
        _quorum = quorum;
        emit ValidatorConfigSet(version, validators, validatorPublicKeys, quorum, offchainConfig);
    }

    function getValidatorConfig() external view returns (uint256, address[] memory, bytes[] memory, uint256) {
        return (_validatorVersion, _validators.values(), _validatorPublicKeys, _quorum);
    }

    function isValidator(address validator) external view returns (bool) {
        return _validators.contains(validator);
    }

    function isGuardian(address guardian) external view returns (bool) {
        return hasRole(GUARDIAN_ROLE, guardian);
    }

    function getValidators() external view returns (address[] memory) {
        return _validators.values();
    }

    function getValidatorsCount() external view returns (uint256) {
        return _validators.length();
    }

    function getValidatorAt(uint256 index) external view returns (address) {
        return _validators.at(index);
    }

    function getPPSOracleQuorum() external view returns (uint256) {
        return _quorum;
    }

    // ---- The active oracle

    function setActivePPSOracle(address oracle) external onlyRole(SUPER_GOVERNOR_ROLE) {
        if (oracle == address(0)) revert INVALID_ADDRESS();
        if (_activeOracle != address(0)) revert MUST_USE_TIMELOCK_FOR_CHANGE();
        _activeOracle = oracle;
        emit ActivePPSOracleSet(oracle);
    }

    function proposeActivePPSOracle(address oracle) external onlyRole(SUPER_GOVERNOR_ROLE) {
        if (oracle == address(0)) revert INVALID_ADDRESS();
        _oracleProposal = Proposal(uint160(oracle), block.timestamp + TIMELOCK);
        emit ActivePPSOracleProposed(oracle, block.timestamp + TIMELOCK);
    }

    function executeActivePPSOracleChange() external {
        if (_oracleProposal.value == 0) revert NO_PROPOSED_PPS_ORACLE();
        address next = address(uint160(_take(_oracleProposal)));
        emit ActivePPSOracleChanged(_activeOracle, next);
        _activeOracle = next;
    }

    function getActivePPSOracle() public view returns (address) {
        if (_activeOracle == address(0)) revert NO_ACTIVE_PPS_ORACLE();
        return _activeOracle;
    }

    function isActivePPSOracle(address oracle) external view returns (bool) {
        return oracle != address(0) && oracle == _activeOracle;
    }

    function getProposedActivePPSOracle() external view returns (address, uint256) {
        return (address(uint160(_oracleProposal.value)), _oracleProposal.effectiveTime);
    }

    // ---- Fees, staleness, upkeep

    function proposeFee(uint8 feeType, uint256 value) external onlyRole(SUPER_GOVERNOR_ROLE) {
        if (feeType > 1 || value > BPS) revert INVALID_FEE_VALUE();
        _feeProposals[feeType] = Proposal(value, block.timestamp + TIMELOCK);
        emit FeeProposed(feeType, value, block.timestamp + TIMELOCK);
    }

    function executeFeeUpdate(uint8 feeType) external {
        if (_feeProposals[feeType].effectiveTime == 0) revert NO_PROPOSED_FEE(feeType);
        _fees[feeType] = _take(_feeProposals[feeType]);
        emit FeeUpdated(feeType, _fees[feeType]);
    }

    function getFee(uint8 feeType) external view returns (uint256) {
        return _fees[feeType];
    }

    function setGasInfo(address oracle, uint256 gasIncreasePerEntryBatch) external onlyRole(GAS_MANAGER_ROLE) {
        if (oracle == address(0)) revert INVALID_ADDRESS();
        if (gasIncreasePerEntryBatch == 0) revert INVALID_GAS_INFO();
        _gasPerEntry[oracle] = gasIncreasePerEntryBatch;
        emit GasInfoSet(oracle, gasIncreasePerEntryBatch);
    }

    function getGasInfo(address oracle_) external view returns (uint256) {
        return _gasPerEntry[oracle_];
    }

    function getUpkeepCostPerSingleUpdate(address oracle_) external view returns (uint256) {
        return _gasPerEntry[oracle_] * upkeepRate;
    }

    function proposeUpkeepPaymentsChange(bool enabled) external onlyRole(SUPER_GOVERNOR_ROLE) {
        _upkeepProposal = Proposal(enabled ? 1 : 0, block.timestamp + TIMELOCK);
        emit UpkeepPaymentsChangeProposed(enabled, block.timestamp + TIMELOCK);
    }

    function executeUpkeepPaymentsChange() external {
        if (_upkeepProposal.effectiveTime == 0) revert NO_PENDING_CHANGE();
        _upkeepEnabled = _take(_upkeepProposal) == 1;
        emit UpkeepPaymentsChanged(_upkeepEnabled);
    }

    function isUpkeepPaymentsEnabled() external view returns (bool enabled) {
        return _upkeepEnabled;
    }

    function getProposedUpkeepPaymentsStatus() external view returns (bool enabled, uint256 effectiveTime) {
        return (_upkeepProposal.value == 1, _upkeepProposal.effectiveTime);
    }

    function proposeMinStaleness(uint256 newMinStaleness) external onlyRole(SUPER_GOVERNOR_ROLE) {
        if (newMinStaleness == 0) revert MAX_STALENESS_TOO_LOW();
        _minStalenessProposal = Proposal(newMinStaleness, block.timestamp + TIMELOCK);
        emit MinStalenessProposed(newMinStaleness, block.timestamp + TIMELOCK);
    }

    function executeMinStalenessChange() external {
        if (_minStalenessProposal.effectiveTime == 0) revert NO_PROPOSED_MIN_STALENESS();
        _minStaleness = _take(_minStalenessProposal);
        emit MinStalenessChanged(_minStaleness);
    }

    function getMinStaleness() external view returns (uint256) {
        return _minStaleness;
    }

    function getProposedMinStaleness() external view returns (uint256, uint256) {
        return (_minStalenessProposal.value, _minStalenessProposal.effectiveTime);
    }

    /// Takes a matured proposal and clears it.
    function _take(Proposal storage proposal) private returns (uint256 value) {
        if (block.timestamp < proposal.effectiveTime) revert TIMELOCK_NOT_EXPIRED();
        value = proposal.value;
        proposal.value = 0;
        proposal.effectiveTime = 0;
    }

    function _aggregator() private view returns (IAggregator) {
        return IAggregator(getAddress(Keys.AGGREGATOR));
    }
}
