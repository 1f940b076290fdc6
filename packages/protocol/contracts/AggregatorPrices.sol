// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value.
pragma solidity 0.8.37;

import {AggregatorBase} from "./AggregatorBase.sol";
import {ForwardPPSArgs} from "./Types.sol";

/// Prices: what is taken, what is refused with an event, what pauses a strategy.
abstract contract AggregatorPrices is AggregatorBase {
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
}
