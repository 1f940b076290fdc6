// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value.
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IVault} from "./Types.sol";

/// Shares between redeem request and fulfilment, assets between fulfilment and claim. Only its vault moves them.
contract DevEscrow {
    using SafeERC20 for IERC20;

    bool public initialized;
    address public vault;

    event Initialized(address indexed vault);
    event SharesEscrowed(address indexed from, uint256 amount);
    event SharesReturned(address indexed to, uint256 amount);
    event AssetsReturned(address indexed to, uint256 amount);

    error ALREADY_INITIALIZED();
    error UNAUTHORIZED();
    error ZERO_ADDRESS();
    error ZERO_AMOUNT();

    modifier onlyVault() {
        if (msg.sender != vault) revert UNAUTHORIZED();
        _;
    }

    /// The implementation itself is never used.
    constructor() {
        initialized = true;
    }

    function initialize(address vaultAddress) external {
        if (initialized) revert ALREADY_INITIALIZED();
        if (vaultAddress == address(0)) revert ZERO_ADDRESS();
        initialized = true;
        vault = vaultAddress;
        emit Initialized(vaultAddress);
    }

    function escrowShares(address from, uint256 amount) external onlyVault {
        if (amount == 0) revert ZERO_AMOUNT();
        IERC20(vault).safeTransferFrom(from, address(this), amount);
        emit SharesEscrowed(from, amount);
    }

    function returnShares(address to, uint256 amount) external onlyVault {
        if (amount == 0) revert ZERO_AMOUNT();
        IERC20(vault).safeTransfer(to, amount);
        emit SharesReturned(to, amount);
    }

    function returnAssets(address to, uint256 amount) external onlyVault {
        if (amount == 0) revert ZERO_AMOUNT();
        IERC20(IVault(vault).asset()).safeTransfer(to, amount);
        emit AssetsReturned(to, amount);
    }
}
