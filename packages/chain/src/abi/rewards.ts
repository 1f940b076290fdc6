import { parseAbi } from 'viem';

/** Pays a token to those who hold something, an account all of it at once. */
export const rewardDistributorAbi = parseAbi([
  'function claimable(address account) view returns (uint256)',
  'function claim(address account) returns (uint256 amount)',
]);

/** Exchanges two tokens at a price of its own, which it says beforehand. */
export const swapPoolAbi = parseAbi([
  'function quote(address tokenIn, uint256 amountIn) view returns (uint256)',
  'function swap(address tokenIn, uint256 amountIn) returns (uint256 amountOut)',
]);
