import { parseAbi } from 'viem';

/** A stateless builder of calls that a strategy executes. */
export const hookAbi = parseAbi([
  'struct Execution { address target; uint256 value; bytes callData; }',
  'function inspect(bytes data) view returns (bytes argsEncoded)',
  'function build(address prevHook, address account, bytes data) view returns (Execution[] executions)',
  'function preExecute(address prevHook, address account, bytes data)',
  'function postExecute(address prevHook, address account, bytes data)',
  'function setExecutionContext(address caller)',
  'function resetExecutionState(address caller)',
  'function getOutAmount(address caller) view returns (uint256)',
  'function decodeUsePrevHookAmount(bytes data) pure returns (bool)',
  'function subtype() view returns (bytes32)',
]);
