// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Keeps what the proposer says about the rollup's state: one output root at a first block, then one at each block whose
/// number is a multiple of `SUBMISSION_INTERVAL`. It has no constructor: the parent chain's genesis puts it in place with
/// its settings in storage, in the order below.
contract L2OutputOracle {
    struct OutputProposal {
        bytes32 outputRoot;
        uint128 timestamp;
        uint128 l2BlockNumber;
    }

    address public PROPOSER;
    uint256 public SUBMISSION_INTERVAL;
    uint256 public L2_BLOCK_TIME;
    uint256 public FINALIZATION_PERIOD_SECONDS;
    OutputProposal[] private outputs;

    string public constant version = "1.8.0";

    event OutputProposed(
        bytes32 indexed outputRoot, uint256 indexed l2OutputIndex, uint256 indexed l2BlockNumber, uint256 l1Timestamp
    );

    /// Takes the output at `nextBlockNumber`; the first one may be of any block, and the others follow from it.
    function proposeL2Output(bytes32 outputRoot, uint256 l2BlockNumber, bytes32 l1BlockHash, uint256 l1BlockNumber)
        external
    {
        require(msg.sender == PROPOSER, "L2OutputOracle: only the proposer may propose");
        require(outputRoot != bytes32(0), "L2OutputOracle: an output root is never zero");
        require(
            outputs.length == 0 || l2BlockNumber == nextBlockNumber(), "L2OutputOracle: this block's turn has not come"
        );
        require(
            l1BlockHash == bytes32(0) || blockhash(l1BlockNumber) == l1BlockHash,
            "L2OutputOracle: made for another parent chain"
        );
        emit OutputProposed(outputRoot, outputs.length, l2BlockNumber, block.timestamp);
        outputs.push(OutputProposal(outputRoot, uint128(block.timestamp), uint128(l2BlockNumber)));
    }

    function getL2Output(uint256 index) external view returns (OutputProposal memory) {
        return outputs[index];
    }

    function getL2OutputAfter(uint256 l2BlockNumber) external view returns (OutputProposal memory) {
        return outputs[getL2OutputIndexAfter(l2BlockNumber)];
    }

    /// Index of the first output that covers a block.
    function getL2OutputIndexAfter(uint256 l2BlockNumber) public view returns (uint256) {
        require(
            outputs.length > 0 && l2BlockNumber <= latestBlockNumber(),
            // Callers know the state of a withdrawal by this very text.
            "L2OutputOracle: cannot get output for a block that has not been proposed"
        );
        uint256 first = startingBlockNumber();
        if (l2BlockNumber <= first) return 0;
        return (l2BlockNumber + SUBMISSION_INTERVAL - 1) / SUBMISSION_INTERVAL - first / SUBMISSION_INTERVAL;
    }

    function startingBlockNumber() public view returns (uint256) {
        return outputs.length == 0 ? 0 : outputs[0].l2BlockNumber;
    }

    function latestBlockNumber() public view returns (uint256) {
        return outputs.length == 0 ? 0 : outputs[outputs.length - 1].l2BlockNumber;
    }

    function latestOutputIndex() external view returns (uint256) {
        return outputs.length - 1;
    }

    function nextOutputIndex() external view returns (uint256) {
        return outputs.length;
    }

    /// Zero before the first output, whose block is free.
    function nextBlockNumber() public view returns (uint256) {
        return outputs.length == 0 ? 0 : (latestBlockNumber() / SUBMISSION_INTERVAL + 1) * SUBMISSION_INTERVAL;
    }
}
