// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// What the rollup knows of its parent chain: the block that it builds on, and what publishing data there costs. It has
/// no constructor, and its storage lies where the rollup's engine looks for it when it charges for data.
contract L1Block {
    address public constant DEPOSITOR_ACCOUNT = 0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001;
    string public constant version = "1.6.0";

    uint64 public number;
    uint64 public timestamp;
    uint256 public basefee;
    bytes32 public hash;
    /// How many rollup blocks before this one have the same parent block.
    uint64 public sequenceNumber;
    uint32 public blobBaseFeeScalar;
    uint32 public baseFeeScalar;
    bytes32 public batcherHash;
    /// These two charged for data before there were blobs; nothing reads them now, but their slots stay taken.
    uint256 public l1FeeOverhead;
    uint256 public l1FeeScalar;
    uint256 public blobBaseFee;
    uint64 public operatorFeeConstant;
    uint32 public operatorFeeScalar;

    /// Takes the values from the call's data, where they follow the selector one after the other without gaps.
    function setL1BlockValuesIsthmus() external {
        require(msg.sender == DEPOSITOR_ACCOUNT, "L1Block: only the depositor account can set L1 block values");
        bytes calldata data = msg.data;
        baseFeeScalar = uint32(bytes4(data[4:8]));
        blobBaseFeeScalar = uint32(bytes4(data[8:12]));
        sequenceNumber = uint64(bytes8(data[12:20]));
        timestamp = uint64(bytes8(data[20:28]));
        number = uint64(bytes8(data[28:36]));
        basefee = uint256(bytes32(data[36:68]));
        blobBaseFee = uint256(bytes32(data[68:100]));
        hash = bytes32(data[100:132]);
        batcherHash = bytes32(data[132:164]);
        operatorFeeScalar = uint32(bytes4(data[164:168]));
        operatorFeeConstant = uint64(bytes8(data[168:176]));
    }
}
