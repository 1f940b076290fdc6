// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value.
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {StrategyBase} from "./StrategyBase.sol";
import {IVault, SuperVaultState} from "./Types.sol";

/// Deposits, and redemptions from request to claim.
abstract contract StrategyFlows is StrategyBase {
    using SafeERC20 for IERC20;
    using Math for uint256;

    function handleOperations4626Deposit(address controller, uint256 assetsGross) external onlyVault returns (uint256 sharesNet) {
        uint256 pps = _requireDepositable();
        uint256 fee = assetsGross.mulDiv(_fees.managementFeeBps, BPS, Math.Rounding.Ceil);
        sharesNet = (assetsGross - fee).mulDiv(PRECISION, pps);
        if (sharesNet == 0) revert INVALID_AMOUNT();
        _payEntryFee(controller, fee);
        emit DepositHandled(controller, assetsGross - fee, sharesNet);
    }

    function handleOperations4626Mint(address controller, uint256 sharesNet, uint256 assetsGross, uint256 assetsNet) external onlyVault {
        _requireDepositable();
        _payEntryFee(controller, assetsGross - assetsNet);
        emit DepositHandled(controller, assetsNet, sharesNet);
    }

    function quoteMintAssetsGross(uint256 shares) external view returns (uint256 assetsGross, uint256 assetsNet) {
        uint256 pps = getStoredPPS();
        if (pps == 0) revert INVALID_PPS();
        assetsNet = shares.mulDiv(pps, PRECISION, Math.Rounding.Ceil);
        uint256 bps = _fees.managementFeeBps;
        if (bps == 0) return (assetsNet, assetsNet);
        if (bps >= BPS) revert INVALID_AMOUNT();
        assetsGross = assetsNet.mulDiv(BPS, BPS - bps, Math.Rounding.Ceil);
    }

    function _payEntryFee(address controller, uint256 fee) private {
        if (fee == 0) return;
        IERC20(_asset).safeTransfer(_fees.recipient, fee);
        emit ManagementFeePaid(controller, _fees.recipient, fee, _fees.managementFeeBps);
    }

    function handleOperations7540(uint8 op, address controller, address receiver, uint256 amount) external onlyVault {
        if (op == 0) _placeRequest(controller, amount);
        else if (op == 1) _placeCancel(controller);
        else if (op == 2) _claimCancel(controller);
        else if (op == 3) _claim(controller, receiver, amount);
        else revert ACTION_TYPE_DISALLOWED();
    }

    function _placeRequest(address controller, uint256 shares) private {
        uint256 pps = _requireUsable();
        SuperVaultState storage state = _state[controller];
        uint256 before = state.pendingRedeemRequest;
        state.averageRequestPPS = (before * state.averageRequestPPS + shares * pps) / (before + shares);
        state.pendingRedeemRequest = before + shares;
        emit RedeemRequestPlaced(controller, controller, shares);
    }

    function _placeCancel(address controller) private {
        SuperVaultState storage state = _state[controller];
        if (state.pendingRedeemRequest == 0) revert REQUEST_NOT_FOUND();
        if (state.pendingCancelRedeemRequest) revert CANCELLATION_REDEEM_REQUEST_PENDING();
        state.pendingCancelRedeemRequest = true;
        emit RedeemCancelRequestPlaced(controller);
    }

    function _claimCancel(address controller) private {
        uint256 shares = _state[controller].claimableCancelRedeemRequest;
        if (shares == 0) revert REQUEST_NOT_FOUND();
        _state[controller].claimableCancelRedeemRequest = 0;
        emit RedeemRequestCanceled(controller, shares);
    }

    function _claim(address controller, address receiver, uint256 assets) private {
        SuperVaultState storage state = _state[controller];
        if (assets == 0 || assets > state.maxWithdraw) revert INVALID_AMOUNT();
        state.maxWithdraw -= assets;
        if (state.maxWithdraw == 0) state.averageWithdrawPrice = 0;
        // As in production: receiver and controller stand in each other's place, and shares are always 0.
        emit RedeemRequestClaimed(receiver, controller, assets, 0);
    }

    function fulfillRedeemRequests(address[] calldata controllers, uint256[] calldata totalAssetsOut) external onlyAnyManager locked {
        uint256 count = controllers.length;
        if (count == 0) revert ZERO_LENGTH();
        if (count != totalAssetsOut.length) revert INVALID_ARRAY_LENGTH();
        uint256 pps = _requireUsable();
        uint256 burned;
        uint256 paid;
        for (uint256 i; i < count; ++i) {
            if (i > 0 && controllers[i] <= controllers[i - 1]) revert CONTROLLERS_NOT_SORTED_UNIQUE();
            burned += _fulfil(controllers[i], totalAssetsOut[i], pps);
            paid += totalAssetsOut[i];
        }
        if (IERC20(_asset).balanceOf(address(this)) < paid) revert INSUFFICIENT_LIQUIDITY();
        IVault(_vault).burnShares(burned);
        IERC20(_asset).safeTransfer(IVault(_vault).escrow(), paid);
        emit RedeemRequestsFulfilled(controllers, burned, pps);
    }

    function _fulfil(address controller, uint256 assets, uint256 pps) private returns (uint256 shares) {
        SuperVaultState storage state = _state[controller];
        shares = state.pendingRedeemRequest;
        if (shares == 0) revert ZERO_SHARE_FULFILLMENT_DISALLOWED();
        (uint256 theoretical, uint256 least) = _bounds(state, pps);
        if (assets < least || assets > theoretical) revert BOUNDS_EXCEEDED(least, theoretical, assets);
        uint256 open = state.averageWithdrawPrice == 0 ? 0 : state.maxWithdraw.mulDiv(PRECISION, state.averageWithdrawPrice);
        state.maxWithdraw += assets;
        state.averageWithdrawPrice = state.maxWithdraw.mulDiv(PRECISION, open + shares);
        state.pendingRedeemRequest = 0;
        state.averageRequestPPS = 0;
        state.pendingCancelRedeemRequest = false;
        emit RedeemClaimable(controller, assets, shares, state.averageWithdrawPrice);
    }

    function _bounds(SuperVaultState storage state, uint256 pps) private view returns (uint256 theoretical, uint256 least) {
        uint256 shares = state.pendingRedeemRequest;
        theoretical = shares.mulDiv(pps, PRECISION);
        uint256 slippage = state.redeemSlippageBps == 0 ? DEFAULT_REDEEM_SLIPPAGE_BPS : state.redeemSlippageBps;
        least = shares.mulDiv(state.averageRequestPPS, PRECISION).mulDiv(BPS - slippage, BPS);
    }

    function fulfillCancelRedeemRequests(address[] calldata controllers) external onlyAnyManager {
        if (controllers.length == 0) revert ZERO_LENGTH();
        for (uint256 i; i < controllers.length; ++i) {
            SuperVaultState storage state = _state[controllers[i]];
            if (!state.pendingCancelRedeemRequest) revert REQUEST_NOT_FOUND();
            state.claimableCancelRedeemRequest += state.pendingRedeemRequest;
            state.pendingRedeemRequest = 0;
            state.averageRequestPPS = 0;
            state.pendingCancelRedeemRequest = false;
            emit RedeemCancelRequestFulfilled(controllers[i], state.claimableCancelRedeemRequest);
        }
    }

    function setRedeemSlippage(uint16 slippageBps) external {
        if (slippageBps > BPS) revert INVALID_REDEEM_SLIPPAGE_BPS();
        _state[msg.sender].redeemSlippageBps = slippageBps;
        emit RedeemSlippageSet(msg.sender, slippageBps);
    }

    function previewExactRedeem(address controller) public view returns (uint256 shares, uint256 theoreticalAssets, uint256 minAssets) {
        shares = _state[controller].pendingRedeemRequest;
        (theoreticalAssets, minAssets) = _bounds(_state[controller], getStoredPPS());
    }

    function previewExactRedeemBatch(address[] calldata controllers) external view returns (uint256 totalTheoAssets, uint256[] memory individualAssets) {
        individualAssets = new uint256[](controllers.length);
        for (uint256 i; i < controllers.length; ++i) {
            (, individualAssets[i],) = previewExactRedeem(controllers[i]);
            totalTheoAssets += individualAssets[i];
        }
    }
}
