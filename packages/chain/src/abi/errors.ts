import { type Abi, parseAbi, toFunctionSelector } from 'viem';
import { ecdsaPpsOracleAbi } from './ecdsa-pps-oracle.ts';
import { superGovernorAbi } from './super-governor.ts';
import { superVaultAbi } from './super-vault.ts';
import { superVaultAggregatorAbi } from './super-vault-aggregator.ts';
import { superVaultEscrowAbi } from './super-vault-escrow.ts';
import { superVaultStrategyAbi } from './super-vault-strategy.ts';

/** A custom error of an ABI. */
export type AbiError = Extract<Abi[number], { type: 'error' }>;

/** What the token and proxy code under our contracts reverts with (ERC-6093 and the usual library errors). */
const libraryErrorsAbi = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error SafeERC20FailedOperation(address token)',
  'error AddressEmptyCode(address target)',
  'error FailedCall()',
  'error InvalidInitialization()',
  'error NotInitializing()',
  'error ReentrancyGuardReentrantCall()',
] as const);

/** The four-byte selector by which an error is recognised in revert data. */
export const errorSelector = (error: AbiError): `0x${string}` =>
  toFunctionSelector({
    type: 'function',
    name: error.name,
    inputs: error.inputs,
    outputs: [],
    stateMutability: 'view',
  });

function unionOfErrors(abis: readonly Abi[]): AbiError[] {
  const bySelector = new Map<string, AbiError>();
  for (const item of abis.flat()) {
    if (item.type !== 'error') continue;
    const selector = errorSelector(item);
    if (!bySelector.has(selector)) bySelector.set(selector, item);
  }
  return [...bySelector.values()];
}

/**
 * Every custom error of every protocol contract and of the libraries below them, once per signature.
 * Use it to decode a revert when the failing contract is not known: a strategy call can fail in its vault.
 */
export const allErrorsAbi: readonly AbiError[] = unionOfErrors([
  superVaultAggregatorAbi,
  superVaultStrategyAbi,
  superVaultAbi,
  superVaultEscrowAbi,
  superGovernorAbi,
  ecdsaPpsOracleAbi,
  libraryErrorsAbi,
]);
