// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A token that should fail every risk check: selling into its pool is taxed, and its owner may mint, blacklist,
/// change the tax and switch selling off.
contract RugToken {
    string public constant name = "Rug";
    string public constant symbol = "RUG";
    uint8 public constant decimals = 18;
    address public immutable pair;
    address public owner;
    uint256 public sellTaxBps = 2500;
    bool public sellingEnabled = true;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public blacklisted;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    /// The pool's share is minted straight into the pool, so that nobody ever needs an exemption from the tax.
    constructor(address owner_, address pair_, uint256 ownerSupply, uint256 poolSupply) {
        owner = owner_;
        pair = pair_;
        _mint(owner_, ownerSupply);
        _mint(pair_, poolSupply);
    }

    function mint(address to, uint256 value) external onlyOwner {
        _mint(to, value);
    }

    function setBlacklist(address account, bool listed) external onlyOwner {
        blacklisted[account] = listed;
    }

    function setTaxes(uint256 sellTaxBps_) external onlyOwner {
        require(sellTaxBps_ <= 10_000, "above 100 %");
        sellTaxBps = sellTaxBps_;
    }

    function setSellingEnabled(bool enabled) external onlyOwner {
        sellingEnabled = enabled;
    }

    function transferOwnership(address newOwner) external onlyOwner {
        owner = newOwner;
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
        require(!blacklisted[from] && !blacklisted[to], "blacklisted");
        require(balanceOf[from] >= value, "insufficient balance");
        uint256 tax = 0;
        if (to == pair) {
            require(sellingEnabled || from == owner, "selling is off");
            if (from != owner) tax = (value * sellTaxBps) / 10_000;
        }
        balanceOf[from] -= value;
        balanceOf[to] += value - tax;
        emit Transfer(from, to, value - tax);
        if (tax > 0) {
            balanceOf[owner] += tax;
            emit Transfer(from, owner, tax);
        }
    }

    function _mint(address to, uint256 value) private {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }
}
