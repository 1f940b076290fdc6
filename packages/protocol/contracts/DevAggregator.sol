// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: storage layout and gas.
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {
    ForwardPPSArgs, IEscrow, IGovernor, IStrategy, IVault, Keys, ValidateHookArgs, VaultCreationParams
} from "./Types.sol";

/// Factory and registry of vaults, and the state of every strategy: price, pause, managers, upkeep, hook roots.
contract DevAggregator {
    using SafeERC20 for IERC20;
    using EnumerableSet for EnumerableSet.AddressSet;

    struct Root { bytes32 active; bytes32 proposed; uint256 effectiveTime; bool vetoed; }

    struct Strategy {
        uint256 pps;
        uint256 lastUpdate;
        uint256 minUpdateInterval;
        uint256 maxStaleness;
        uint256 deviationThreshold;
        uint256 lastUnpause;
        bool paused;
        bool stale;
        address mainManager;
        EnumerableSet.AddressSet secondary;
        address proposedManager;
        address proposedFeeRecipient;
        uint256 managerEffectiveTime;
        uint256 proposedInterval;
        uint256 intervalEffectiveTime;
        uint256 upkeep;
        uint256 withdrawal;
        uint256 withdrawalEffectiveTime;
        Root hooks;
        mapping(bytes32 leaf => bool) banned;
    }

    uint256 public constant MAX_SECONDARY_MANAGERS = 5;
    uint256 public constant UPKEEP_WITHDRAWAL_TIMELOCK = 24 hours;
    uint256 private constant MANAGER_TIMELOCK = 7 days;
    uint256 private constant INTERVAL_TIMELOCK = 3 days;
    uint256 private constant WAD = 1e18;
    uint256 private constant DEFAULT_DEVIATION = 5e17;
    uint256 private constant MAX_SKIM_BPS = 5_100;

    IGovernor public immutable SUPER_GOVERNOR;
    address public immutable VAULT_IMPLEMENTATION;
    address public immutable STRATEGY_IMPLEMENTATION;
    address public immutable ESCROW_IMPLEMENTATION;

    address[] public superVaults;
    address[] public superVaultStrategies;
    address[] public superVaultEscrows;
    uint256 private _nonce;
    mapping(address strategy => Strategy) private _strategies;
    mapping(address strategy => bool) private _known;
    Root private _globalHooks;
    uint256 private _hooksTimelock = 15 minutes;
    uint256 public claimableUpkeep;

    event VaultDeployed(address indexed vault, address indexed strategy, address escrow, address asset, string name, string symbol, uint256 indexed nonce);
    event PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp);
    event PPSUpdatedAfterSkim(address indexed strategy, uint256 oldPPS, uint256 newPPS, uint256 feeAmount, uint256 timestamp);
    event StrategyPaused(address indexed strategy);
    event StrategyUnpaused(address indexed strategy);
    event StrategyPPSStale(address indexed strategy);
    event StrategyPPSStaleReset(address indexed strategy);
    event StrategyCheckFailed(address indexed strategy, string reason);
    event StaleUpdate(address indexed strategy, address indexed updateAuthority, uint256 timestamp);
    event UpdateTooFrequent();
    event TimestampNotMonotonic();
    event StaleSignatureAfterUnpause(address indexed strategy, uint256 signatureTimestamp, uint256 lastUnpauseTimestamp);
    event ProvidedTimestampExceedsBlockTimestamp(address indexed strategy, uint256 argsTimestamp, uint256 blockTimestamp);
    event UnknownStrategy(address indexed strategy);
    event PPSUpdateRejectedStrategyPaused(address indexed strategy);
    event DeviationThresholdUpdated(address indexed strategy, uint256 deviationThreshold);
    event MinUpdateIntervalChangeProposed(address indexed strategy, address indexed proposer, uint256 newMinUpdateInterval, uint256 effectiveTime);
    event MinUpdateIntervalChanged(address indexed strategy, uint256 oldMinUpdateInterval, uint256 newMinUpdateInterval);
    event MinUpdateIntervalChangeRejected(address indexed strategy, uint256 proposedInterval, uint256 currentMaxStaleness);
    event MinUpdateIntervalChangeCancelled(address indexed strategy, uint256 cancelledInterval);
    event SecondaryManagerAdded(address indexed strategy, address indexed manager);
    event SecondaryManagerRemoved(address indexed strategy, address indexed manager);
    event PrimaryManagerChanged(address indexed strategy, address indexed oldManager, address indexed newManager, address feeRecipient);
    event PrimaryManagerChangeProposed(address indexed strategy, address indexed proposer, address indexed newManager, address feeRecipient, uint256 effectiveTime);
    event PrimaryManagerChangeCancelled(address indexed strategy, address indexed cancelledManager);
    event OldPrimaryManagerRemoved(address indexed strategy, address indexed oldManager);
    event HighWaterMarkReset(address indexed strategy, uint256 indexed newHWM);
    event UpkeepDeposited(address indexed strategy, address indexed depositor, uint256 amount);
    event UpkeepWithdrawalProposed(address indexed strategy, address indexed mainManager, uint256 amount, uint256 effectiveTime);
    event UpkeepWithdrawalCancelled(address indexed strategy);
    event UpkeepWithdrawn(address indexed strategy, address indexed withdrawer, uint256 amount);
    event UpkeepSpent(address indexed strategy, uint256 amount, uint256 balance, uint256 claimableUpkeep);
    event InsufficientUpkeep(address indexed strategy, address indexed strategyAddr, uint256 balance, uint256 cost);
    event UpkeepClaimed(address indexed superBank, uint256 amount);
    event GlobalHooksRootUpdateProposed(bytes32 indexed root, uint256 effectiveTime);
    event GlobalHooksRootUpdated(bytes32 indexed oldRoot, bytes32 newRoot);
    event GlobalHooksRootVetoStatusChanged(bool vetoed, bytes32 indexed root);
    event StrategyHooksRootUpdateProposed(address indexed strategy, address indexed proposer, bytes32 root, uint256 effectiveTime);
    event StrategyHooksRootUpdated(address indexed strategy, bytes32 oldRoot, bytes32 newRoot);
    event StrategyHooksRootVetoStatusChanged(address indexed strategy, bool vetoed, bytes32 indexed root);
    event HooksRootUpdateTimelockChanged(uint256 newTimelock);
    event GlobalLeavesStatusChanged(address indexed strategy, bytes32[] leaves, bool[] statuses);

    error ZERO_ADDRESS();
    error INVALID_VAULT_PARAMS();
    error INVALID_ASSET();
    error MAX_STALENESS_TOO_LOW();
    error TOO_MANY_SECONDARY_MANAGERS();
    error SECONDARY_MANAGER_CANNOT_BE_PRIMARY();
    error MANAGER_ALREADY_EXISTS();
    error UNKNOWN_STRATEGY();
    error INDEX_OUT_OF_BOUNDS();
    error UNAUTHORIZED_PPS_ORACLE();
    error UNAUTHORIZED_UPDATE_AUTHORITY();
    error STRATEGY_NOT_PAUSED();
    error STRATEGY_ALREADY_PAUSED();
    error STRATEGY_PAUSED();
    error PPS_STALE();
    error PPS_MUST_DECREASE_AFTER_SKIM();
    error PPS_DEDUCTION_TOO_LARGE();
    error MIN_UPDATE_INTERVAL_TOO_HIGH();
    error NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE();
    error TIMELOCK_NOT_EXPIRED();
    error MANAGER_NOT_FOUND();
    error NO_PENDING_MANAGER_CHANGE();
    error ZERO_AMOUNT();
    error INSUFFICIENT_UPKEEP();
    error CALLER_NOT_AUTHORIZED();
    error UPKEEP_WITHDRAWAL_NOT_READY();
    error UPKEEP_WITHDRAWAL_NOT_FOUND();
    error NO_PENDING_GLOBAL_ROOT_CHANGE();
    error ROOT_UPDATE_NOT_READY();
    error HOOK_VALIDATION_FAILED();
    error MISMATCHED_ARRAY_LENGTHS();
    error ZERO_ARRAY_LENGTH();
    error ARRAY_LENGTH_MISMATCH();
    error UNAUTHORIZED_CALLER();
    error INVALID_ARRAY_LENGTH();
    error INVALID_TIMESTAMP(uint256 index);

    modifier known(address strategy) {
        _requireKnown(strategy);
        _;
    }

    modifier onlyMain(address strategy) {
        _requireMain(strategy);
        _;
    }

    modifier onlyGovernor() {
        if (msg.sender != address(SUPER_GOVERNOR)) revert UNAUTHORIZED_UPDATE_AUTHORITY();
        _;
    }

    constructor(address governor, address vaultImpl, address strategyImpl, address escrowImpl) {
        if (governor == address(0) || vaultImpl == address(0) || strategyImpl == address(0) || escrowImpl == address(0)) {
            revert ZERO_ADDRESS();
        }
        SUPER_GOVERNOR = IGovernor(governor);
        VAULT_IMPLEMENTATION = vaultImpl;
        STRATEGY_IMPLEMENTATION = strategyImpl;
        ESCROW_IMPLEMENTATION = escrowImpl;
    }

    // ---- Creation and registry

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
        superVaults.push(superVault);
        superVaultStrategies.push(strategy);
        superVaultEscrows.push(escrow);
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
        return superVaults;
    }

    function getSuperVaultsCount() external view returns (uint256) {
        return superVaults.length;
    }

    function getAllSuperVaultStrategies() external view returns (address[] memory) {
        return superVaultStrategies;
    }

    function getSuperVaultStrategiesCount() external view returns (uint256) {
        return superVaultStrategies.length;
    }

    function getAllSuperVaultEscrows() external view returns (address[] memory) {
        return superVaultEscrows;
    }

    function getSuperVaultEscrowsCount() external view returns (uint256) {
        return superVaultEscrows.length;
    }

    // ---- Prices

    function forwardPPS(ForwardPPSArgs calldata args) external {
        if (!SUPER_GOVERNOR.isActivePPSOracle(msg.sender)) revert UNAUTHORIZED_PPS_ORACLE();
        uint256 cost = SUPER_GOVERNOR.isUpkeepPaymentsEnabled() ? SUPER_GOVERNOR.getUpkeepCostPerSingleUpdate(msg.sender) : 0;
        for (uint256 i; i < args.strategies.length; ++i) {
            if (_accepts(args.strategies[i], args.timestamps[i], args.updateAuthority)) {
                _store(args.strategies[i], args.ppss[i], args.timestamps[i], cost);
            }
        }
    }

    /// The checks whose failure costs nothing but the nonce, in production's order.
    function _accepts(address strategy, uint256 timestamp, address authority) private returns (bool) {
        Strategy storage s = _strategies[strategy];
        if (!_known[strategy]) {
            emit UnknownStrategy(strategy);
        } else if (timestamp > block.timestamp) {
            emit ProvidedTimestampExceedsBlockTimestamp(strategy, timestamp, block.timestamp);
        } else if (s.paused) {
            emit PPSUpdateRejectedStrategyPaused(strategy);
        } else if (block.timestamp - timestamp > s.maxStaleness) {
            emit StaleUpdate(strategy, authority, timestamp);
        } else if (timestamp <= s.lastUpdate) {
            emit TimestampNotMonotonic();
        } else if (s.lastUnpause != 0 && timestamp <= s.lastUnpause) {
            emit StaleSignatureAfterUnpause(strategy, timestamp, s.lastUnpause);
        } else if (timestamp - s.lastUpdate < s.minUpdateInterval) {
            emit UpdateTooFrequent();
        } else {
            return true;
        }
        return false;
    }

    function _store(address strategy, uint256 pps, uint256 timestamp, uint256 cost) private {
        Strategy storage s = _strategies[strategy];
        bool deviates = _deviates(s, pps);
        if (deviates) emit StrategyCheckFailed(strategy, "HIGH_PPS_DEVIATION");
        if (cost > 0) {
            if (s.upkeep < cost) {
                _autoPause(strategy, s);
                emit InsufficientUpkeep(strategy, strategy, s.upkeep, cost);
                return;
            }
            claimableUpkeep += cost;
            emit UpkeepSpent(strategy, cost, s.upkeep, claimableUpkeep);
            s.upkeep -= cost;
        }
        if (deviates || pps == 0) {
            _autoPause(strategy, s);
            return;
        }
        s.pps = pps;
        s.lastUpdate = timestamp;
        if (s.stale) {
            s.stale = false;
            emit StrategyPPSStaleReset(strategy);
        }
        emit PPSUpdated(strategy, pps, timestamp);
    }

    function _deviates(Strategy storage s, uint256 pps) private view returns (bool) {
        if (s.deviationThreshold == type(uint256).max || s.pps == 0 || s.stale) return false;
        uint256 difference = pps > s.pps ? pps - s.pps : s.pps - pps;
        return (difference * WAD) / s.pps > s.deviationThreshold;
    }

    function _autoPause(address strategy, Strategy storage s) private {
        s.paused = true;
        s.stale = true;
        emit StrategyPaused(strategy);
        emit StrategyPPSStale(strategy);
    }

    function updatePPSAfterSkim(uint256 newPPS, uint256 feeAmount) external known(msg.sender) {
        Strategy storage s = _strategies[msg.sender];
        if (s.paused) revert STRATEGY_PAUSED();
        if (s.stale) revert PPS_STALE();
        uint256 old = s.pps;
        if (newPPS >= old) revert PPS_MUST_DECREASE_AFTER_SKIM();
        if ((old - newPPS) * 10_000 > old * MAX_SKIM_BPS) revert PPS_DEDUCTION_TOO_LARGE();
        s.pps = newPPS;
        s.lastUpdate = block.timestamp;
        emit PPSUpdatedAfterSkim(msg.sender, old, newPPS, feeAmount, block.timestamp);
    }

    function pauseStrategy(address strategy) external known(strategy) {
        if (!isAnyManager(msg.sender, strategy)) revert UNAUTHORIZED_UPDATE_AUTHORITY();
        Strategy storage s = _strategies[strategy];
        if (s.paused) revert STRATEGY_ALREADY_PAUSED();
        s.paused = true;
        s.stale = true;
        emit StrategyPaused(strategy);
    }

    function unpauseStrategy(address strategy) external known(strategy) {
        if (!isAnyManager(msg.sender, strategy)) revert UNAUTHORIZED_UPDATE_AUTHORITY();
        Strategy storage s = _strategies[strategy];
        if (!s.paused) revert STRATEGY_NOT_PAUSED();
        s.paused = false;
        s.lastUnpause = block.timestamp;
        emit StrategyUnpaused(strategy);
    }

    function updateDeviationThreshold(address strategy, uint256 deviationThreshold_) external onlyMain(strategy) {
        _strategies[strategy].deviationThreshold = deviationThreshold_;
        emit DeviationThresholdUpdated(strategy, deviationThreshold_);
    }

    function proposeMinUpdateIntervalChange(address strategy, uint256 newMinUpdateInterval) external onlyMain(strategy) {
        Strategy storage s = _strategies[strategy];
        if (newMinUpdateInterval >= s.maxStaleness) revert MIN_UPDATE_INTERVAL_TOO_HIGH();
        s.proposedInterval = newMinUpdateInterval;
        s.intervalEffectiveTime = block.timestamp + INTERVAL_TIMELOCK;
        emit MinUpdateIntervalChangeProposed(strategy, msg.sender, newMinUpdateInterval, s.intervalEffectiveTime);
    }

    function executeMinUpdateIntervalChange(address strategy) external known(strategy) {
        Strategy storage s = _strategies[strategy];
        if (s.intervalEffectiveTime == 0) revert NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE();
        if (block.timestamp < s.intervalEffectiveTime) revert TIMELOCK_NOT_EXPIRED();
        emit MinUpdateIntervalChanged(strategy, s.minUpdateInterval, s.proposedInterval);
        s.minUpdateInterval = s.proposedInterval;
        _dropInterval(s);
    }

    function cancelMinUpdateIntervalChange(address strategy) external onlyMain(strategy) {
        Strategy storage s = _strategies[strategy];
        if (s.intervalEffectiveTime == 0) revert NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE();
        emit MinUpdateIntervalChangeCancelled(strategy, s.proposedInterval);
        _dropInterval(s);
    }

    function _dropInterval(Strategy storage s) private {
        s.proposedInterval = 0;
        s.intervalEffectiveTime = 0;
    }

    function getPPS(address strategy) external view known(strategy) returns (uint256 pps) {
        return _strategies[strategy].pps;
    }

    function getDeviationThreshold(address strategy) external view known(strategy) returns (uint256 deviationThreshold) {
        return _strategies[strategy].deviationThreshold;
    }

    function getLastUpdateTimestamp(address strategy) external view returns (uint256 timestamp) {
        return _strategies[strategy].lastUpdate;
    }

    function getMinUpdateInterval(address strategy) external view returns (uint256 interval) {
        return _strategies[strategy].minUpdateInterval;
    }

    function getMaxStaleness(address strategy) external view returns (uint256 staleness) {
        return _strategies[strategy].maxStaleness;
    }

    function isStrategyPaused(address strategy) external view returns (bool isPaused) {
        return _strategies[strategy].paused;
    }

    function isPPSStale(address strategy) external view returns (bool isStale) {
        return _strategies[strategy].stale;
    }

    function getLastUnpauseTimestamp(address strategy) external view returns (uint256 timestamp) {
        return _strategies[strategy].lastUnpause;
    }

    function getProposedMinUpdateInterval(address strategy) external view returns (uint256 proposedInterval, uint256 effectiveTime) {
        return (_strategies[strategy].proposedInterval, _strategies[strategy].intervalEffectiveTime);
    }

    // ---- Managers

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

    function isMainManager(address manager, address strategy) public view returns (bool) {
        return manager != address(0) && _strategies[strategy].mainManager == manager;
    }

    function getSecondaryManagers(address strategy) external view returns (address[] memory) {
        return _strategies[strategy].secondary.values();
    }

    function isSecondaryManager(address manager, address strategy) public view returns (bool) {
        return _strategies[strategy].secondary.contains(manager);
    }

    function isAnyManager(address manager, address strategy) public view returns (bool) {
        return isMainManager(manager, strategy) || isSecondaryManager(manager, strategy);
    }

    function getPendingManagerChange(address strategy) external view returns (address proposedManager, uint256 effectiveTime) {
        return (_strategies[strategy].proposedManager, _strategies[strategy].managerEffectiveTime);
    }

    // ---- Upkeep

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

    // ---- Hook roots

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

    // ---- Access

    function _requireKnown(address strategy) private view {
        if (!_known[strategy]) revert UNKNOWN_STRATEGY();
    }

    function _requireMain(address strategy) private view {
        _requireKnown(strategy);
        if (_strategies[strategy].mainManager != msg.sender) revert UNAUTHORIZED_UPDATE_AUTHORITY();
    }
}
