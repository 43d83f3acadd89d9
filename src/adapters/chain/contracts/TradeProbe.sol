// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface IToken {
    function balanceOf(address account) external view returns (uint256);
}

interface IV2Router {
    function getAmountsOut(uint256 amountIn, address[] calldata path) external view returns (uint256[] memory);
    function swapExactTokensForTokensSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external;
}

interface IV3Quoter {
    struct Params {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        uint24 fee;
        uint160 sqrtPriceLimitX96;
    }

    function quoteExactInputSingle(Params memory params) external returns (uint256, uint160, uint32, uint256);
}

interface IV3Router {
    struct Params {
        address tokenIn;
        address tokenOut;
        uint24 fee;
        address recipient;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    function exactInputSingle(Params calldata params) external payable returns (uint256);
}

/// Buys a token, moves a tenth of it, and sells the rest, all in one `eth_call`: never deployed, never sent.
///
/// How to call it: `eth_call` `probe(...)` on an unused address whose code a state override sets to this contract's
/// `deployedBytecode`. It needs `amount` of `base`: override its balance slot in the base token, or, when the base is
/// the wrapped native token, override the native balance and the probe wraps it by itself.
///
///   probe(venue, base, token, amount) -> Report
///     venue.fee == 0   Uniswap v2: venue.router is a Router02, venue.quoter is ignored
///     venue.fee  > 0   Uniswap v3: venue.router is a SwapRouter02, venue.quoter a QuoterV2, venue.fee the pool's fee
///
/// The call does not revert for what the token does. The stages run in order and stop at the first that fails; a stage
/// that did not run has `ran == false`. `revertData` is the raw revert payload, empty when there was none. A stage is
/// `ok` only if something arrived. `expected` is what an untaxed token would have delivered at the same state, price
/// impact and pool fee included, so each tax is (expected - received) / expected in bps.
contract TradeProbe {
    struct Venue {
        address router;
        address quoter;
        uint24 fee;
    }

    struct Stage {
        bool ran;
        bool ok;
        uint256 sent;
        uint256 expected;
        uint256 received;
        uint256 taxBps;
        uint256 gasUsed;
        bytes revertData;
    }

    struct Report {
        Stage buy;
        Stage move;
        Stage sell;
        uint256 roundTripLossBps;
    }

    function probe(Venue calldata venue, address base, address token, uint256 amount) external returns (Report memory report) {
        if (_balance(base, address(this)) < amount && address(this).balance >= amount) {
            (bool wrapped, ) = base.call{value: amount}(abi.encodeWithSignature("deposit()"));
            wrapped;
        }
        require(_balance(base, address(this)) >= amount, "probe: no base balance");

        report.buy = _trade(venue, base, token, amount);
        if (!report.buy.ok) return report;

        report.move = _move(token, report.buy.received / 10);
        if (report.move.ran && !report.move.ok) return report;

        report.sell = _trade(venue, token, base, _balance(token, address(this)));
        if (!report.sell.ok) return report;
        // What was moved away is not sold, so the loss is measured against the part of the purchase that was.
        uint256 paid = (amount * report.sell.sent) / report.buy.received;
        report.roundTripLossBps = _bps(paid, report.sell.received);
    }

    function _trade(Venue calldata venue, address from, address to, uint256 amount) private returns (Stage memory stage) {
        stage.ran = true;
        stage.sent = amount;
        (bool quoted, bytes memory answer) = _quote(venue, from, to, amount);
        if (!quoted) {
            stage.revertData = answer;
            return stage;
        }
        stage.expected = abi.decode(answer, (uint256));
        (bool approved, bytes memory refusal) = from.call(abi.encodeWithSignature("approve(address,uint256)", venue.router, amount));
        if (!approved) {
            stage.revertData = refusal;
            return stage;
        }
        uint256 before = _balance(to, address(this));
        uint256 gasBefore = gasleft();
        (bool ok, bytes memory data) = venue.router.call(_swapCall(venue, from, to, amount));
        stage.gasUsed = gasBefore - gasleft();
        if (ok) {
            stage.received = _balance(to, address(this)) - before;
            stage.taxBps = _bps(stage.expected, stage.received);
            stage.ok = stage.received > 0;
        } else {
            stage.revertData = data;
        }
    }

    function _move(address token, uint256 amount) private returns (Stage memory stage) {
        if (amount == 0) return stage;
        address recipient = address(uint160(uint256(keccak256(abi.encode(address(this), token)))));
        stage.ran = true;
        stage.sent = amount;
        stage.expected = amount;
        uint256 before = _balance(token, recipient);
        uint256 gasBefore = gasleft();
        (bool ok, bytes memory data) = token.call(abi.encodeWithSignature("transfer(address,uint256)", recipient, amount));
        stage.gasUsed = gasBefore - gasleft();
        if (ok) {
            stage.received = _balance(token, recipient) - before;
            stage.taxBps = _bps(amount, stage.received);
            stage.ok = stage.received > 0;
        } else {
            stage.revertData = data;
        }
    }

    /// Answers the ABI-encoded amount out, or the revert payload.
    function _quote(Venue calldata venue, address from, address to, uint256 amount) private returns (bool ok, bytes memory answer) {
        if (venue.fee > 0) {
            (ok, answer) = venue.quoter.call(
                abi.encodeCall(IV3Quoter.quoteExactInputSingle, (IV3Quoter.Params(from, to, amount, venue.fee, 0)))
            );
            if (ok && answer.length < 32) return (false, "");
        } else {
            (ok, answer) = venue.router.staticcall(abi.encodeCall(IV2Router.getAmountsOut, (amount, _path(from, to))));
            if (!ok) return (ok, answer);
            if (answer.length < 128) return (false, "");
            uint256[] memory amounts = abi.decode(answer, (uint256[]));
            answer = abi.encode(amounts[1]);
        }
    }

    function _swapCall(Venue calldata venue, address from, address to, uint256 amount) private view returns (bytes memory) {
        if (venue.fee > 0) {
            return abi.encodeCall(
                IV3Router.exactInputSingle,
                (IV3Router.Params(from, to, venue.fee, address(this), amount, 0, 0))
            );
        }
        return abi.encodeCall(
            IV2Router.swapExactTokensForTokensSupportingFeeOnTransferTokens,
            (amount, 0, _path(from, to), address(this), block.timestamp)
        );
    }

    function _path(address from, address to) private pure returns (address[] memory path) {
        path = new address[](2);
        path[0] = from;
        path[1] = to;
    }

    function _balance(address token, address account) private view returns (uint256) {
        return IToken(token).balanceOf(account);
    }

    function _bps(uint256 expected, uint256 received) private pure returns (uint256) {
        if (expected == 0 || received >= expected) return 0;
        return ((expected - received) * 10_000) / expected;
    }

    receive() external payable {}
}
