// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// The rollup's settings as the parent chain knows them. The genesis writes them to storage, in the order below; nobody
/// can change them afterwards, and both scalars are zero: the rollup charges nothing for its data.
contract SystemConfig {
    address public optimismPortal;
    address public batchInbox;
    bytes32 public batcherHash;
    uint64 public gasLimit;
    uint32 public basefeeScalar;
    uint32 public blobbasefeeScalar;

    string public constant version = "2.3.0";

    /// Deposits and outputs are read from the parent chain's first block on.
    function startBlock() external pure returns (uint256) {
        return 0;
    }
}
