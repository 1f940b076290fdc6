// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: storage layout and gas.
pragma solidity 0.8.37;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {IGovernor} from "./Types.sol";

/// State, events and errors of the aggregator, and who is let in.
abstract contract AggregatorBase {
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
    uint256 internal constant MANAGER_TIMELOCK = 7 days;
    uint256 internal constant INTERVAL_TIMELOCK = 3 days;
    uint256 internal constant WAD = 1e18;
    uint256 internal constant DEFAULT_DEVIATION = 5e17;
    uint256 internal constant MAX_SKIM_BPS = 5_100;

    IGovernor public immutable SUPER_GOVERNOR;
    address public immutable VAULT_IMPLEMENTATION;
    address public immutable STRATEGY_IMPLEMENTATION;
    address public immutable ESCROW_IMPLEMENTATION;

    address[] internal _superVaults;
    address[] internal _superVaultStrategies;
    address[] internal _superVaultEscrows;
    uint256 internal _nonce;
    mapping(address strategy => Strategy) internal _strategies;
    mapping(address strategy => bool) internal _known;
    Root internal _globalHooks;
    uint256 internal _hooksTimelock = 15 minutes;
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

    function isMainManager(address manager, address strategy) public view returns (bool) {
        return manager != address(0) && _strategies[strategy].mainManager == manager;
    }

    function isSecondaryManager(address manager, address strategy) public view returns (bool) {
        return _strategies[strategy].secondary.contains(manager);
    }

    function isAnyManager(address manager, address strategy) public view returns (bool) {
        return isMainManager(manager, strategy) || isSecondaryManager(manager, strategy);
    }

    function _dropInterval(Strategy storage s) internal {
        s.proposedInterval = 0;
        s.intervalEffectiveTime = 0;
    }

    function _requireKnown(address strategy) internal view {
        if (!_known[strategy]) revert UNKNOWN_STRATEGY();
    }

    function _requireMain(address strategy) internal view {
        _requireKnown(strategy);
        if (_strategies[strategy].mainManager != msg.sender) revert UNAUTHORIZED_UPDATE_AUTHORITY();
    }
}
