// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface IWrapped {
    function deposit() external payable;
    function transfer(address to, uint256 value) external returns (bool);
}

interface IMintable {
    function mint(address to, uint256 value) external;
}

/// Gives an account its starting grant in one transaction: native, wrapped native, and two tokens it may mint.
/// The native part travels with the call, so the contract holds no stock that could run out.
contract Funder {
    uint256 public constant NATIVE = 10 ether;
    uint256 public constant WRAPPED = 5 ether;
    uint256 public constant USDC = 25_000e6;
    uint256 public constant WBTC = 0.5e8;

    address public immutable owner;
    IWrapped private immutable wrapped;
    IMintable private immutable usdc;
    IMintable private immutable wbtc;

    event Funded(address indexed account);

    constructor(address owner_, IWrapped wrapped_, IMintable usdc_, IMintable wbtc_) {
        owner = owner_;
        wrapped = wrapped_;
        usdc = usdc_;
        wbtc = wbtc_;
    }

    function fund(address payable account) external payable {
        require(msg.sender == owner, "not the owner");
        require(msg.value == NATIVE + WRAPPED, "wrong value");
        wrapped.deposit{value: WRAPPED}();
        wrapped.transfer(account, WRAPPED);
        usdc.mint(account, USDC);
        wbtc.mint(account, WBTC);
        (bool sent, ) = account.call{value: NATIVE}("");
        require(sent, "native transfer failed");
        emit Funded(account);
    }
}
