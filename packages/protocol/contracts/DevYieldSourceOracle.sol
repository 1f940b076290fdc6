// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value.
pragma solidity 0.8.37;

import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";

/// Values positions in ERC-4626 sources, in units of the source's asset.
contract DevYieldSourceOracle {
    function decimals(address source) public view returns (uint8) {
        return IERC20Metadata(source).decimals();
    }

    function getPricePerShare(address source) public view returns (uint256) {
        return IERC4626(source).convertToAssets(10 ** decimals(source));
    }

    function getPricePerShareMultiple(address[] calldata sources) external view returns (uint256[] memory prices) {
        prices = new uint256[](sources.length);
        for (uint256 i; i < sources.length; ++i) prices[i] = getPricePerShare(sources[i]);
    }

    function getBalanceOfOwner(address source, address owner) external view returns (uint256) {
        return IERC4626(source).balanceOf(owner);
    }

    function getTVLByOwnerOfShares(address source, address owner) external view returns (uint256) {
        return IERC4626(source).convertToAssets(IERC4626(source).balanceOf(owner));
    }

    function getTVL(address source) public view returns (uint256) {
        return IERC4626(source).totalAssets();
    }

    function getTVLMultiple(address[] calldata sources) external view returns (uint256[] memory tvls) {
        tvls = new uint256[](sources.length);
        for (uint256 i; i < sources.length; ++i) tvls[i] = getTVL(sources[i]);
    }

    function getAssetOutput(address source, address, uint256 sharesIn) external view returns (uint256) {
        return IERC4626(source).convertToAssets(sharesIn);
    }

    function getShareOutput(address source, address, uint256 assetsIn) external view returns (uint256) {
        return IERC4626(source).convertToShares(assetsIn);
    }
}
