// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { TrieProof } from "./TrieProof.sol";

interface IOracle {
    struct OutputProposal {
        bytes32 outputRoot;
        uint128 timestamp;
        uint128 l2BlockNumber;
    }

    function getL2Output(uint256 index) external view returns (OutputProposal memory);
    function FINALIZATION_PERIOD_SECONDS() external view returns (uint256);
}

/// The door between the parent chain and the rollup, in the form that OP-Stack clients know as portal version 2: money
/// and calls go in by `depositTransaction`, and come out by a proof against a proposed output. It has no constructor:
/// the genesis puts it in place with its settings in storage, in the order below, and with the money that backs what
/// the rollup started with.
contract OptimismPortal {
    struct WithdrawalTransaction {
        uint256 nonce;
        address sender;
        address target;
        uint256 value;
        uint256 gasLimit;
        bytes data;
    }

    struct OutputRootProof {
        bytes32 version;
        bytes32 stateRoot;
        bytes32 messagePasserStorageRoot;
        bytes32 latestBlockhash;
    }

    struct ProvenWithdrawal {
        bytes32 outputRoot;
        uint128 timestamp;
        uint128 l2OutputIndex;
    }

    /// What the deposits of one parent block may use of a rollup block, and the most bytes one of them carries.
    uint64 public constant MAX_DEPOSIT_GAS = 20_000_000;
    uint256 private constant MAX_DATA = 120_000;
    /// The rollup runs no longer creation code (EIP-3860).
    uint256 private constant MAX_CREATION_CODE = 49_152;
    uint64 private constant RECEIVE_GAS_LIMIT = 100_000;
    uint256 private constant DEPOSIT_VERSION = 0;
    /// Contracts act on the rollup under another address, so that none can pass for a rollup contract of its address.
    uint160 private constant ALIAS_OFFSET = uint160(0x1111000000000000000000000000000000001111);
    address private constant NOBODY = address(0xdEaD);
    /// What this contract itself needs after the call that a withdrawal makes.
    uint256 private constant RESERVED_GAS = 40_000;

    address public l2Oracle;
    address public systemConfig;
    /// Sender on the rollup of the withdrawal that runs just now, or the dead address.
    address public l2Sender;
    mapping(bytes32 => bool) public finalizedWithdrawals;
    mapping(bytes32 => ProvenWithdrawal) public provenWithdrawals;
    uint64 private gasBlock;
    uint64 private gasBought;

    string public constant version = "2.8.1";
    bool public constant paused = false;

    event TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData);
    event WithdrawalProven(bytes32 indexed withdrawalHash, address indexed from, address indexed to);
    event WithdrawalFinalized(bytes32 indexed withdrawalHash, bool success);

    receive() external payable {
        depositTransaction(msg.sender, msg.value, RECEIVE_GAS_LIMIT, false, "");
    }

    /// Adds to the money that withdrawals are paid from.
    function donateETH() external payable {}

    function depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes memory data)
        public
        payable
    {
        require(!isCreation || to == address(0), "OptimismPortal: a creation has no receiver");
        require(data.length <= MAX_DATA, "OptimismPortal: data too large");
        require(!isCreation || data.length <= MAX_CREATION_CODE, "OptimismPortal: creation code too large");
        require(gasLimit >= minimumGasLimit(uint64(data.length)), "OptimismPortal: gas limit too small");
        buyGas(gasLimit);
        address from = msg.sender == tx.origin ? msg.sender : address(uint160(msg.sender) + ALIAS_OFFSET);
        bytes memory opaque = abi.encodePacked(msg.value, value, gasLimit, isCreation, data);
        emit TransactionDeposited(from, to, DEPOSIT_VERSION, opaque);
    }

    function minimumGasLimit(uint64 byteCount) public pure returns (uint64) {
        return byteCount * 40 + 21_000;
    }

    function proveWithdrawalTransaction(
        WithdrawalTransaction memory withdrawal,
        uint256 l2OutputIndex,
        OutputRootProof calldata output,
        bytes[] memory withdrawalProof
    ) external {
        require(withdrawal.target != address(this), "OptimismPortal: a withdrawal cannot call the portal");
        bytes32 outputRoot = IOracle(l2Oracle).getL2Output(l2OutputIndex).outputRoot;
        require(outputRoot == keccak256(abi.encode(output)), "OptimismPortal: not what was proposed");
        bytes32 hash = hashOf(withdrawal);
        require(provenWithdrawals[hash].timestamp == 0, "OptimismPortal: already proven");
        bytes32 slot = keccak256(abi.encode(hash, uint256(0)));
        TrieProof.requireTrue(output.messagePasserStorageRoot, slot, withdrawalProof);
        provenWithdrawals[hash] = ProvenWithdrawal(outputRoot, uint128(block.timestamp), uint128(l2OutputIndex));
        emit WithdrawalProven(hash, withdrawal.sender, withdrawal.target);
    }

    function finalizeWithdrawalTransaction(WithdrawalTransaction memory withdrawal) external {
        require(l2Sender == NOBODY, "OptimismPortal: a withdrawal is running");
        bytes32 hash = hashOf(withdrawal);
        ProvenWithdrawal memory proven = provenWithdrawals[hash];
        require(proven.timestamp != 0, "OptimismPortal: withdrawal has not been proven yet");
        require(matured(proven.timestamp), "OptimismPortal: proven withdrawal has not matured yet");
        require(!finalizedWithdrawals[hash], "OptimismPortal: withdrawal has already been finalized");
        require(address(this).balance >= withdrawal.value, "OptimismPortal: not enough money to pay out");
        finalizedWithdrawals[hash] = true;
        l2Sender = withdrawal.sender;
        // A call gets at most 63 of 64 parts of the gas that is left.
        require(
            ((gasleft() - RESERVED_GAS) * 63) / 64 >= withdrawal.gasLimit, "OptimismPortal: not enough gas for the call"
        );
        (bool success,) = withdrawal.target.call{ value: withdrawal.value, gas: withdrawal.gasLimit }(withdrawal.data);
        l2Sender = NOBODY;
        emit WithdrawalFinalized(hash, success);
    }

    function isOutputFinalized(uint256 l2OutputIndex) external view returns (bool) {
        return matured(IOracle(l2Oracle).getL2Output(l2OutputIndex).timestamp);
    }

    function matured(uint256 since) private view returns (bool) {
        return block.timestamp > since + IOracle(l2Oracle).FINALIZATION_PERIOD_SECONDS();
    }

    function buyGas(uint64 amount) private {
        if (gasBlock != block.number) {
            gasBlock = uint64(block.number);
            gasBought = 0;
        }
        gasBought += amount;
        require(gasBought <= MAX_DEPOSIT_GAS, "OptimismPortal: this block's deposits use all the gas there is");
    }

    function hashOf(WithdrawalTransaction memory w) private pure returns (bytes32) {
        return keccak256(abi.encode(w.nonce, w.sender, w.target, w.value, w.gasLimit, w.data));
    }
}
