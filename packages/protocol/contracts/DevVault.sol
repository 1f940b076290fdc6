// SPDX-License-Identifier: Apache-2.0
// Devnet contracts: ABI-compatible, not audited, not for value. Simplified: minimal ERC-165.
pragma solidity 0.8.37;

import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {EIP712Upgradeable} from "@openzeppelin/contracts-upgradeable/utils/cryptography/EIP712Upgradeable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {FeeConfig, IAggregator, IEscrow, IGovernor, IStrategy, Keys} from "./Types.sol";

/// The share token: synchronous ERC-4626 deposits, asynchronous ERC-7540 redemptions.
contract DevVault is ERC20Upgradeable, EIP712Upgradeable {
    using SafeERC20 for IERC20;
    using Math for uint256;

    bytes32 public constant AUTHORIZE_OPERATOR_TYPEHASH =
        keccak256("AuthorizeOperator(address controller,address operator,bool approved,bytes32 nonce,uint256 deadline)");
    uint256 private constant BPS = 10_000;
    uint256 private constant REQUEST_ID = 0;

    address public immutable SUPER_GOVERNOR;
    address public asset;
    address public strategy;
    address public escrow;
    uint256 public PRECISION;
    uint8 private _assetDecimals;

    mapping(address owner => mapping(address operator => bool)) public isOperator;
    mapping(address controller => mapping(bytes32 nonce => bool)) public authorizations;

    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares);
    event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets);
    event CancelRedeemRequest(address indexed controller, uint256 indexed requestId, address sender);
    event CancelRedeemClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 shares);
    event OperatorSet(address indexed controller, address indexed operator, bool approved);
    event NonceInvalidated(address indexed sender, bytes32 indexed nonce);
    event Initialized(address indexed asset, address indexed strategy, address indexed escrow);
    event SuperGovernorSet(address indexed superGovernor);

    error INVALID_ASSET();
    error ZERO_ADDRESS();
    error ZERO_AMOUNT();
    error INVALID_AMOUNT();
    error UNAUTHORIZED();
    error DEADLINE_PASSED();
    error INVALID_SIGNATURE();
    error NOT_IMPLEMENTED();
    error INVALID_NONCE();
    error INVALID_WITHDRAW_PRICE();
    error INVALID_CONTROLLER();
    error CONTROLLER_MUST_EQUAL_OWNER();
    error RECEIVER_MUST_EQUAL_CONTROLLER();
    error NOT_ENOUGH_ASSETS();
    error CANCELLATION_REDEEM_REQUEST_PENDING();

    modifier controlled(address controller) {
        if (controller != msg.sender && !isOperator[controller][msg.sender]) revert INVALID_CONTROLLER();
        _;
    }

    constructor(address governor) {
        if (governor == address(0)) revert ZERO_ADDRESS();
        SUPER_GOVERNOR = governor;
        emit SuperGovernorSet(governor);
        _disableInitializers();
    }

    function initialize(address asset_, string calldata name_, string calldata symbol_, address strategy_, address escrow_)
        external
        initializer
    {
        if (asset_ == address(0)) revert INVALID_ASSET();
        __ERC20_init(name_, symbol_);
        __EIP712_init(name_, "1");
        _assetDecimals = IERC20Metadata(asset_).decimals();
        PRECISION = 10 ** _assetDecimals;
        asset = asset_;
        strategy = strategy_;
        escrow = escrow_;
        emit Initialized(asset_, strategy_, escrow_);
    }

    function decimals() public view override returns (uint8) {
        return _assetDecimals;
    }

    function share() external view returns (address) {
        return address(this);
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    // ---- ERC-4626, synchronous side

    function totalAssets() external view returns (uint256) {
        return convertToAssets(totalSupply());
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return assets.mulDiv(PRECISION, _pps());
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares.mulDiv(_pps(), PRECISION);
    }

    function maxDeposit(address) public view returns (uint256) {
        IAggregator aggregator = _aggregator();
        return aggregator.isStrategyPaused(strategy) || aggregator.isPPSStale(strategy) ? 0 : type(uint256).max;
    }

    function maxMint(address receiver) external view returns (uint256) {
        return maxDeposit(receiver);
    }

    function previewDeposit(uint256 assets) external view returns (uint256) {
        uint256 bps = IStrategy(strategy).getConfigInfo().managementFeeBps;
        return convertToShares(assets - assets.mulDiv(bps, BPS, Math.Rounding.Ceil));
    }

    function previewMint(uint256 shares) external view returns (uint256 assets) {
        (assets,) = IStrategy(strategy).quoteMintAssetsGross(shares);
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        if (receiver == address(0)) revert ZERO_ADDRESS();
        if (assets == 0) revert ZERO_AMOUNT();
        IERC20(asset).safeTransferFrom(msg.sender, strategy, assets);
        shares = IStrategy(strategy).handleOperations4626Deposit(receiver, assets);
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    function mint(uint256 shares, address receiver) external returns (uint256 assets) {
        if (receiver == address(0)) revert ZERO_ADDRESS();
        if (shares == 0) revert ZERO_AMOUNT();
        uint256 net;
        (assets, net) = IStrategy(strategy).quoteMintAssetsGross(shares);
        IERC20(asset).safeTransferFrom(msg.sender, strategy, assets);
        IStrategy(strategy).handleOperations4626Mint(receiver, shares, assets, net);
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    // ---- ERC-7540, asynchronous side

    function previewWithdraw(uint256) external pure returns (uint256) {
        revert NOT_IMPLEMENTED();
    }

    function previewRedeem(uint256) external pure returns (uint256) {
        revert NOT_IMPLEMENTED();
    }

    function requestRedeem(uint256 shares, address controller, address owner) external returns (uint256) {
        if (shares == 0) revert ZERO_AMOUNT();
        if (owner == address(0) || controller == address(0)) revert ZERO_ADDRESS();
        if (owner != msg.sender && !isOperator[owner][msg.sender]) revert INVALID_CONTROLLER();
        if (controller != owner) revert CONTROLLER_MUST_EQUAL_OWNER();
        if (balanceOf(owner) < shares) revert INVALID_AMOUNT();
        if (IStrategy(strategy).pendingCancelRedeemRequest(controller)) revert CANCELLATION_REDEEM_REQUEST_PENDING();
        _approve(owner, escrow, shares);
        IEscrow(escrow).escrowShares(owner, shares);
        IStrategy(strategy).handleOperations7540(0, controller, owner, shares);
        emit RedeemRequest(controller, owner, REQUEST_ID, msg.sender, shares);
        return REQUEST_ID;
    }

    function cancelRedeemRequest(uint256, address controller) external controlled(controller) {
        IStrategy(strategy).handleOperations7540(1, controller, address(0), 0);
        emit CancelRedeemRequest(controller, REQUEST_ID, msg.sender);
    }

    function claimCancelRedeemRequest(uint256, address receiver, address controller)
        external
        controlled(controller)
        returns (uint256 shares)
    {
        if (msg.sender != controller && receiver != controller) revert RECEIVER_MUST_EQUAL_CONTROLLER();
        shares = IStrategy(strategy).claimableCancelRedeemRequest(controller);
        IStrategy(strategy).handleOperations7540(2, controller, address(0), 0);
        IEscrow(escrow).returnShares(receiver, shares);
        emit CancelRedeemClaim(receiver, controller, REQUEST_ID, msg.sender, shares);
    }

    function withdraw(uint256 assets, address receiver, address controller) external controlled(controller) returns (uint256 shares) {
        uint256 price = IStrategy(strategy).getAverageWithdrawPrice(controller);
        if (price == 0) revert INVALID_WITHDRAW_PRICE();
        shares = assets.mulDiv(PRECISION, price, Math.Rounding.Ceil);
        _claim(assets, shares, receiver, controller);
    }

    function redeem(uint256 shares, address receiver, address controller) external controlled(controller) returns (uint256 assets) {
        uint256 price = IStrategy(strategy).getAverageWithdrawPrice(controller);
        if (price == 0) revert INVALID_WITHDRAW_PRICE();
        assets = shares.mulDiv(price, PRECISION);
        _claim(assets, shares, receiver, controller);
    }

    function maxWithdraw(address owner) public view returns (uint256) {
        return IStrategy(strategy).claimableWithdraw(owner);
    }

    function maxRedeem(address owner) public view returns (uint256) {
        uint256 price = IStrategy(strategy).getAverageWithdrawPrice(owner);
        return price == 0 ? 0 : maxWithdraw(owner).mulDiv(PRECISION, price);
    }

    function pendingRedeemRequest(uint256, address controller) external view returns (uint256) {
        return IStrategy(strategy).pendingRedeemRequest(controller);
    }

    function claimableRedeemRequest(uint256, address controller) external view returns (uint256) {
        return maxRedeem(controller);
    }

    function pendingCancelRedeemRequest(uint256, address controller) external view returns (bool) {
        return IStrategy(strategy).pendingCancelRedeemRequest(controller);
    }

    function claimableCancelRedeemRequest(uint256, address controller) external view returns (uint256) {
        return IStrategy(strategy).claimableCancelRedeemRequest(controller);
    }

    // ---- ERC-7540 and ERC-7741 operators

    function setOperator(address operator, bool approved) external returns (bool) {
        if (operator == msg.sender) revert UNAUTHORIZED();
        isOperator[msg.sender][operator] = approved;
        emit OperatorSet(msg.sender, operator, approved);
        return true;
    }

    function authorizeOperator(
        address controller,
        address operator,
        bool approved,
        bytes32 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bool) {
        if (controller == operator) revert UNAUTHORIZED();
        if (block.timestamp > deadline) revert DEADLINE_PASSED();
        if (authorizations[controller][nonce]) revert INVALID_NONCE();
        authorizations[controller][nonce] = true;
        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(AUTHORIZE_OPERATOR_TYPEHASH, controller, operator, approved, nonce, deadline))
        );
        if (!SignatureChecker.isValidSignatureNow(controller, digest, signature)) revert INVALID_SIGNATURE();
        isOperator[controller][operator] = approved;
        emit OperatorSet(controller, operator, approved);
        return true;
    }

    function invalidateNonce(bytes32 nonce) external {
        if (authorizations[msg.sender][nonce]) revert INVALID_NONCE();
        authorizations[msg.sender][nonce] = true;
        emit NonceInvalidated(msg.sender, nonce);
    }

    function getEscrowedAssets() external view returns (uint256) {
        return IERC20(asset).balanceOf(escrow);
    }

    /// Burns fulfilled shares out of the escrow.
    function burnShares(uint256 amount) external {
        if (msg.sender != strategy) revert UNAUTHORIZED();
        _burn(escrow, amount);
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0x01ffc9a7 // ERC-165
            || interfaceId == 0x620ee8e4 // ERC-7540 redeem
            || interfaceId == 0xe3bc4e65; // ERC-7540 operators
    }

    function _claim(uint256 assets, uint256 shares, address receiver, address controller) private {
        if (receiver == address(0)) revert ZERO_ADDRESS();
        if (assets == 0) revert ZERO_AMOUNT();
        if (msg.sender != controller && receiver != controller) revert RECEIVER_MUST_EQUAL_CONTROLLER();
        if (assets > maxWithdraw(controller)) revert INVALID_AMOUNT();
        if (IERC20(asset).balanceOf(escrow) < assets) revert NOT_ENOUGH_ASSETS();
        IStrategy(strategy).handleOperations7540(3, controller, receiver, assets);
        IEscrow(escrow).returnAssets(receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    function _pps() private view returns (uint256) {
        return IStrategy(strategy).getStoredPPS();
    }

    function _aggregator() private view returns (IAggregator) {
        return IAggregator(IGovernor(SUPER_GOVERNOR).getAddress(Keys.AGGREGATOR));
    }
}
