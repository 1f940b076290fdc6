// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: anyone may move its price.
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {DevToken} from "./DevToken.sol";

/// An ERC-4626 yield source whose price can be moved both ways.
contract DevYieldVault is ERC4626 {
    address private constant BURNED = address(0xdead);

    constructor(DevToken asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(IERC20(address(asset_))) {}

    /// Adds `bps` of the assets held, as earned.
    function accrue(uint256 bps) external {
        DevToken(asset()).mint(address(this), (totalAssets() * bps) / 10_000);
    }

    /// Adds an exact amount of assets, as earned.
    function accrueAssets(uint256 amount) external {
        DevToken(asset()).mint(address(this), amount);
    }

    /// Loses `bps` of the assets held.
    function lose(uint256 bps) external {
        DevToken(asset()).transfer(BURNED, (totalAssets() * bps) / 10_000);
    }
}
