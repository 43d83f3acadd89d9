// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A price feed with the reading side of Chainlink's AggregatorV3Interface, written by one owner.
contract SandboxFeed {
    struct Round {
        int256 answer;
        uint256 updatedAt;
    }

    uint256 public constant version = 1;
    uint8 public immutable decimals;
    string public description;
    address public owner;
    uint80 public latestRound;
    mapping(uint80 => Round) private rounds;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    /// The first answer is `age` seconds old, so that a feed may be stale from its start.
    constructor(address owner_, uint8 decimals_, string memory description_, int256 answer, uint256 age) {
        owner = owner_;
        decimals = decimals_;
        description = description_;
        _write(answer, block.timestamp - age);
    }

    function update(int256 answer) external {
        require(msg.sender == owner, "not the owner");
        _write(answer, block.timestamp);
    }

    function transferOwnership(address newOwner) external {
        require(msg.sender == owner, "not the owner");
        owner = newOwner;
    }

    function latestAnswer() external view returns (int256) {
        return rounds[latestRound].answer;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return getRoundData(latestRound);
    }

    function getRoundData(uint80 roundId) public view returns (uint80, int256, uint256, uint256, uint80) {
        Round memory round = rounds[roundId];
        require(round.updatedAt > 0, "No data present");
        return (roundId, round.answer, round.updatedAt, round.updatedAt, roundId);
    }

    function _write(int256 answer, uint256 updatedAt) private {
        latestRound++;
        rounds[latestRound] = Round(answer, updatedAt);
        emit AnswerUpdated(answer, latestRound, updatedAt);
    }
}
