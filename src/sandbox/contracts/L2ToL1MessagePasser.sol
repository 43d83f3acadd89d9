// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Where a withdrawal begins on the rollup. What is sent here is gone from the rollup; the portal of the parent chain
/// pays it out against a proof that `sentMessages` holds the withdrawal's hash.
contract L2ToL1MessagePasser {
    uint16 public constant MESSAGE_VERSION = 1;
    string public constant version = "1.1.1";
    uint256 private constant RECEIVE_GAS_LIMIT = 100_000;

    /// Slot 0: proofs are made for this place.
    mapping(bytes32 => bool) public sentMessages;
    uint240 private count;

    event MessagePassed(
        uint256 indexed nonce,
        address indexed sender,
        address indexed target,
        uint256 value,
        uint256 gasLimit,
        bytes data,
        bytes32 withdrawalHash
    );

    receive() external payable {
        initiateWithdrawal(msg.sender, RECEIVE_GAS_LIMIT, "");
    }

    function initiateWithdrawal(address target, uint256 gasLimit, bytes memory data) public payable {
        uint256 nonce = messageNonce();
        bytes32 hash = keccak256(abi.encode(nonce, msg.sender, target, msg.value, gasLimit, data));
        sentMessages[hash] = true;
        count += 1;
        emit MessagePassed(nonce, msg.sender, target, msg.value, gasLimit, data, hash);
    }

    /// The next message's number, with the version of its encoding in the two highest bytes.
    function messageNonce() public view returns (uint256) {
        return (uint256(MESSAGE_VERSION) << 240) | count;
    }
}
