import { parseAbi } from 'viem';

/**
 * Holds shares between redeem request and fulfilment, and assets between fulfilment and claim.
 */
export const superVaultEscrowAbi = parseAbi([
  'function initialize(address vaultAddress)',
  'function initialized() view returns (bool)',
  'function vault() view returns (address)',
  'function escrowShares(address from, uint256 amount)',
  'function returnShares(address to, uint256 amount)',
  'function returnAssets(address to, uint256 amount)',
  'event Initialized(address indexed vault)',
  'event SharesEscrowed(address indexed from, uint256 amount)',
  'event SharesReturned(address indexed to, uint256 amount)',
  'event AssetsReturned(address indexed to, uint256 amount)',
  'error ALREADY_INITIALIZED()',
  'error UNAUTHORIZED()',
  'error ZERO_ADDRESS()',
  'error ZERO_AMOUNT()',
] as const);
