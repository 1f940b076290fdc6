import { parseAbi } from 'viem';

/** Optional secondary manager that grants time-bounded session keys. */
export const superVaultExecutorAbi = parseAbi([
  'struct ExecuteArgs { address[] hooks; bytes[] hookCalldata; uint256[] expectedAssetsOrSharesOut; bytes32[][] globalProofs; bytes32[][] strategyProofs; }',
  'function grantSessionKey(address strategy, address sessionKey, uint256 expiry, uint8[] permissions)',
  'function revokeSessionKey(address strategy, address sessionKey)',
  'function invalidateAllSessionKeys(address strategy)',
  'function executeHooks(address strategy, ExecuteArgs args) payable',
  'function fulfillRedeemRequests(address strategy, address[] controllers, uint256[] totalAssetsOut)',
  'function fulfillCancelRedeemRequests(address strategy, address[] controllers)',
  'function skimPerformanceFee(address strategy)',
  'function pauseStrategy(address strategy)',
  'function unpauseStrategy(address strategy)',
  'function isSessionKeyValid(address strategy, address sessionKey) view returns (bool)',
  'function isSessionKeyValidForPermission(address strategy, address sessionKey, uint8 permission) view returns (bool)',
  'function getSessionKeyData(address strategy, address sessionKey) view returns (uint256 expiry, address grantedByManager, uint88 generation, uint8 permissions)',
  'event SessionKeyGranted(address indexed strategy, address indexed sessionKey, uint256 expiry, address indexed grantedByManager, uint256 generation, uint8 permissions)',
  'event SessionKeyRevoked(address indexed strategy, address indexed sessionKey)',
  'event AllSessionKeysInvalidated(address indexed strategy, uint256 newGeneration)',
]);
