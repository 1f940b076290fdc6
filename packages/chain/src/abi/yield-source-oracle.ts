import { parseAbi } from 'viem';

/** Values a position in one kind of yield source, in the units of its asset. */
export const yieldSourceOracleAbi = parseAbi([
  'function decimals(address yieldSourceAddress) view returns (uint8)',
  'function getPricePerShare(address yieldSourceAddress) view returns (uint256)',
  'function getPricePerShareMultiple(address[] yieldSourceAddresses) view returns (uint256[] pricesPerShare)',
  'function getBalanceOfOwner(address yieldSourceAddress, address ownerOfShares) view returns (uint256)',
  'function getTVLByOwnerOfShares(address yieldSourceAddress, address ownerOfShares) view returns (uint256)',
  'function getTVL(address yieldSourceAddress) view returns (uint256)',
  'function getTVLMultiple(address[] yieldSourceAddresses) view returns (uint256[] tvls)',
  'function getAssetOutput(address yieldSourceAddress, address assetIn, uint256 sharesIn) view returns (uint256)',
  'function getShareOutput(address yieldSourceAddress, address assetIn, uint256 assetsIn) view returns (uint256)',
]);
