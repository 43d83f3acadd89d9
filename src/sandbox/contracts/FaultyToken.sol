// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A token to try risk checks on. Nobody owns it, and its whole supply begins in its pool; its only fault, where it has
/// one, is what it does with a sale into that pool: refuse it, or burn a part of it as a tax.
contract FaultyToken {
    uint8 public constant decimals = 18;
    string public name;
    string public symbol;
    address public immutable pair;
    uint256 public immutable sellTaxBps;
    bool public immutable sellingBlocked;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(
        string memory name_,
        string memory symbol_,
        address pair_,
        uint256 supply,
        uint256 sellTaxBps_,
        bool sellingBlocked_
    ) {
        require(sellTaxBps_ <= 10_000, "above 100 %");
        name = name_;
        symbol = symbol_;
        pair = pair_;
        sellTaxBps = sellTaxBps_;
        sellingBlocked = sellingBlocked_;
        totalSupply = supply;
        balanceOf[pair_] = supply;
        emit Transfer(address(0), pair_, supply);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "insufficient allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _transfer(from, to, value);
        return true;
    }

    function _transfer(address from, address to, uint256 value) private {
        require(to != address(0), "transfer to zero");
        require(balanceOf[from] >= value, "insufficient balance");
        uint256 tax = 0;
        if (to == pair) {
            require(!sellingBlocked, "selling is blocked");
            tax = (value * sellTaxBps) / 10_000;
        }
        balanceOf[from] -= value;
        balanceOf[to] += value - tax;
        emit Transfer(from, to, value - tax);
        if (tax > 0) {
            totalSupply -= tax;
            emit Transfer(from, address(0), tax);
        }
    }
}
