import { parseAbi } from 'viem';

/**
 * The signatures this recomputation rests on, written from the contracts' description and not taken from the packages
 * under test: a fault in theirs must not hide in ours.
 */
export const events = {
  vault: parseAbi([
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
    'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
    'event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
    'event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)',
    'event CancelRedeemRequest(address indexed controller, uint256 indexed requestId, address sender)',
    'event CancelRedeemClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 shares)',
    'event OperatorSet(address indexed controller, address indexed operator, bool approved)',
  ]),
  strategy: parseAbi([
    'event VaultFeeConfigUpdated(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient)',
    'event FeeRecipientChanged(address indexed newRecipient)',
    'event ManagementFeePaid(address indexed controller, address indexed recipient, uint256 feeAssets, uint256 feeBps)',
    'event PerformanceFeeSkimmed(uint256 totalFee, uint256 superformFee)',
    'event HWMPPSUpdated(uint256 newHwmPps, uint256 previousPps, uint256 profit, uint256 feeCollected)',
    'event HighWaterMarkReset(uint256 newHwmPps)',
    'event RedeemClaimable(address indexed controller, uint256 assetsFulfilled, uint256 sharesFulfilled, uint256 averageWithdrawPrice)',
    'event RedeemRequestsFulfilled(address[] controllers, uint256 processedShares, uint256 currentPPS)',
    'event RedeemCancelRequestFulfilled(address indexed controller, uint256 shares)',
  ]),
  escrow: [],
  aggregator: parseAbi([
    'event VaultDeployed(address indexed vault, address indexed strategy, address escrow, address asset, string name, string symbol, uint256 indexed nonce)',
    'event PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)',
    'event PPSUpdatedAfterSkim(address indexed strategy, uint256 oldPPS, uint256 newPPS, uint256 feeAmount, uint256 timestamp)',
    'event UpkeepDeposited(address indexed strategy, address indexed depositor, uint256 amount)',
    'event SecondaryManagerAdded(address indexed strategy, address indexed manager)',
    'event SecondaryManagerRemoved(address indexed strategy, address indexed manager)',
    'event PrimaryManagerChanged(address indexed strategy, address indexed oldManager, address indexed newManager, address feeRecipient)',
  ]),
  oracle: [],
  feed: parseAbi(['event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)']),
} as const;

export const calls = parseAbi([
  'struct FeeConfig { uint256 performanceFeeBps; uint256 managementFeeBps; address recipient; }',
  'struct VaultCreationParams { address asset; string name; string symbol; address mainManager; address[] secondaryManagers; uint256 minUpdateInterval; uint256 maxStaleness; FeeConfig feeConfig; }',
  'struct YieldSourceInfo { address sourceAddress; address oracle; }',
  'function createVault(VaultCreationParams params) returns (address superVault, address strategy, address escrow)',
  'function getYieldSourcesList() view returns (YieldSourceInfo[])',
  'function getTVLByOwnerOfShares(address source, address owner) view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function decimals() view returns (uint8)',
]);
