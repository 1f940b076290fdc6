// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: what an account holds now counts for all the time since
// its last claim, and the distributor mints what it pays.
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {DevToken} from "./DevToken.sol";

/// Pays a token to the holders of a yield source's shares: so much a second to all of them, by their shares.
contract DevRewardDistributor {
    using Math for uint256;

    DevToken public immutable token;
    IERC20 public immutable source;
    uint256 public immutable perSecond;
    uint256 private immutable _start;
    mapping(address account => uint256) private _claimedAt;

    event Claimed(address indexed account, uint256 amount);

    constructor(DevToken token_, IERC20 source_, uint256 perSecond_) {
        (token, source, perSecond) = (token_, source_, perSecond_);
        _start = block.timestamp;
    }

    function claimable(address account) public view returns (uint256) {
        uint256 supply = source.totalSupply();
        if (supply == 0) return 0;
        uint256 since = Math.max(_claimedAt[account], _start);
        return (perSecond * (block.timestamp - since)).mulDiv(source.balanceOf(account), supply);
    }

    /// Pays an account all that it can claim; anybody may ask.
    function claim(address account) external returns (uint256 amount) {
        amount = claimable(account);
        _claimedAt[account] = block.timestamp;
        token.mint(account, amount);
        emit Claimed(account, amount);
    }
}

/// Two tokens at the price that its reserves make (x * y = k), less 0.3 %. Its liquidity is what was sent to it, and stays.
contract DevSwapPool {
    using Math for uint256;

    IERC20 public immutable token0;
    IERC20 public immutable token1;

    error UNKNOWN_TOKEN();

    event Swapped(address indexed account, address indexed tokenIn, uint256 amountIn, uint256 amountOut);

    constructor(IERC20 token0_, IERC20 token1_) {
        (token0, token1) = (token0_, token1_);
    }

    function quote(address tokenIn, uint256 amountIn) public view returns (uint256) {
        uint256 reserveIn = IERC20(tokenIn).balanceOf(address(this));
        uint256 reserveOut = _other(tokenIn).balanceOf(address(this));
        uint256 counted = amountIn * 997;
        return counted == 0 ? 0 : counted.mulDiv(reserveOut, reserveIn * 1000 + counted);
    }

    function swap(address tokenIn, uint256 amountIn) external returns (uint256 amountOut) {
        amountOut = quote(tokenIn, amountIn);
        require(IERC20(tokenIn).transferFrom(msg.sender, address(this), amountIn));
        require(_other(tokenIn).transfer(msg.sender, amountOut));
        emit Swapped(msg.sender, tokenIn, amountIn, amountOut);
    }

    function _other(address tokenIn) private view returns (IERC20) {
        if (tokenIn == address(token0)) return token1;
        if (tokenIn == address(token1)) return token0;
        revert UNKNOWN_TOKEN();
    }
}
