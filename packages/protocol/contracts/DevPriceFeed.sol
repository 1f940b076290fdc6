// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: its owner writes the rounds.
pragma solidity 0.8.37;

/// A price feed with the views of Chainlink's AggregatorV3Interface, and its history.
contract DevPriceFeed {
    struct Round { int256 answer; uint256 updatedAt; }

    uint8 public immutable decimals;
    uint256 public constant version = 1;
    string public description;
    address public immutable owner;
    Round[] private _rounds;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    error NOT_OWNER();
    error NO_DATA();

    constructor(string memory description_, uint8 decimals_, address owner_) {
        description = description_;
        decimals = decimals_;
        owner = owner_;
    }

    function setAnswer(int256 answer) external {
        if (msg.sender != owner) revert NOT_OWNER();
        _rounds.push(Round(answer, block.timestamp));
        emit AnswerUpdated(answer, _rounds.length, block.timestamp);
    }

    function getRoundData(uint80 roundId) public view returns (uint80, int256, uint256, uint256, uint80) {
        if (roundId == 0 || roundId > _rounds.length) revert NO_DATA();
        Round storage round = _rounds[roundId - 1];
        return (roundId, round.answer, round.updatedAt, round.updatedAt, roundId);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return getRoundData(uint80(_rounds.length));
    }
}
