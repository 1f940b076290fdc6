import { expect, test } from '@jest/globals';
import { HttpRequestError, InvalidInputRpcError, RpcRequestError, TimeoutError } from 'viem';
import { classifySendError, nodeText, type SendClass } from './send-errors.ts';

/** As viem wraps what a node answers. */
const asViem = (message: string, code = -32000) =>
  new InvalidInputRpcError(new RpcRequestError({ body: { method: 'x' }, error: { code, message }, url: 'http://rpc' }));

/** As the sources of geth, anvil, nethermind (before 2026 by name, since then in words), erigon and besu have it. */
const said: readonly (readonly [node: string, text: string, expected: SendClass])[] = [
  ['geth', 'already known', 'accepted'],
  ['geth, older', 'known transaction: 0x7f657507aee0511e36d2d1972a6b22e9', 'accepted'],
  ['anvil', 'Tx: [0x7f657507aee0511e36d2d1972a6b22e9] already Imported', 'accepted'],
  ['anvil', 'transaction already imported', 'accepted'],
  ['nethermind', 'AlreadyKnown', 'accepted'],
  ['erigon', 'existing txn with same hash', 'accepted'],
  ['besu', 'Known transaction', 'accepted'],
  ['geth', 'replacement transaction underpriced', 'underpriced'],
  ['geth', 'transaction underpriced: tip needed 1000000, tip permitted 1', 'underpriced'],
  ['geth', 'max fee per gas less than block base fee: address 0x12, maxFeePerGas: 7, baseFee: 8', 'underpriced'],
  ['anvil', 'replacement transaction underpriced', 'underpriced'],
  ['anvil', 'Tx: [0x7f65] insufficient gas price to replace existing transaction', 'underpriced'],
  ['anvil', 'max fee per gas less than block base fee', 'underpriced'],
  ['nethermind', 'ReplacementNotAllowed', 'underpriced'],
  ['nethermind', 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 50, BaseFee: 100', 'underpriced'],
  ['nethermind', 'FeeTooLowToCompete', 'underpriced'],
  ['erigon', 'could not replace existing tx', 'underpriced'],
  ['erigon', 'INTERNAL_ERROR: could not replace existing tx', 'underpriced'],
  ['erigon', 'fee too low', 'underpriced'],
  ['besu', 'Gas price below configured minimum gas price', 'underpriced'],
  ['arbitrum', 'gas price too low', 'underpriced'],
  ['geth', 'nonce too low: next nonce 5, tx nonce 4', 'nonce_too_low'],
  ['anvil', 'nonce too low', 'nonce_too_low'],
  ['nethermind', 'OldNonce, Current nonce: 22, nonce of rejected tx: 17', 'nonce_too_low'],
  ['erigon', 'nonce too low', 'nonce_too_low'],
  ['besu', 'Nonce too low', 'nonce_too_low'],
  ['geth', 'nonce too high', 'nonce_gap'],
  ['nethermind', 'NonceGap, Future nonce. Expected nonce: 10', 'nonce_gap'],
  ['besu', 'Transaction nonce is too distant from current sender nonce', 'nonce_gap'],
  ['besu', 'An invalid transaction with a lower nonce exists', 'nonce_gap'],
  ['nethermind', 'nonce too far in future', 'nonce_gap'],
  ['nethermind', 'gas limit reached', 'fatal'],
  ['nethermind', 'failed to recover sender', 'fatal'],
  ['nethermind', 'unsupported transaction type', 'fatal'],
  ['nethermind', 'transaction invalid', 'fatal'],
  ['nethermind', 'node is syncing', 'unavailable'],
  ['besu', 'Gas price below current base fee', 'underpriced'],
  ['besu', 'Transaction gas limit exceeds block gas limit', 'fatal'],
  ['besu', 'Intrinsic gas exceeds gas limit', 'fatal'],
  ['besu', 'Max priority fee per gas exceeds max fee per gas', 'fatal'],
  ['besu', 'Wrong chainId', 'fatal'],
  ['besu', 'Transaction fee cap exceeded', 'fee_above_node_limit'],
  ['besu', 'Initial sync is still in progress', 'unavailable'],
  ['besu', 'Timeout expired', 'unavailable'],
  ['geth', 'insufficient funds for gas * price + value: balance 0, tx cost 9327080000000000', 'insufficient_funds'],
  [
    'geth',
    'insufficient funds for gas * price + value: address 0x1 transaction would cause overdraft',
    'insufficient_funds',
  ],
  ['anvil', 'Insufficient funds for gas * price + value', 'insufficient_funds'],
  ['nethermind', 'InsufficientFunds, Account balance: 4740, cumulative cost: 22019', 'insufficient_funds'],
  ['erigon', 'insufficient funds', 'insufficient_funds'],
  ['besu', 'Upfront cost exceeds account balance', 'insufficient_funds'],
  ['geth', 'tx fee (1.10 ether) exceeds the configured cap (1.00 ether)', 'fee_above_node_limit'],
  ['geth', 'intrinsic gas too low: gas 1, minimum needed 21000', 'fatal'],
  ['geth', 'exceeds block gas limit', 'fatal'],
  ['geth', 'invalid sender', 'fatal'],
  ['geth', 'oversized data: transaction size 200000, limit 131072', 'fatal'],
  ['geth', 'invalid chain id for signer: have 1 want 31337', 'fatal'],
  ['geth', 'transaction type not supported', 'fatal'],
  ['geth', 'max priority fee per gas higher than max fee per gas', 'fatal'],
  ['anvil', 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit', 'fatal'],
  ['nethermind', 'GasLimitExceeded', 'fatal'],
  ['nethermind', 'FailedToResolveSender', 'fatal'],
  ['erigon', 'IntrinsicGas', 'fatal'],
  ['erigon', 'gas limit is too high', 'fatal'],
  ['erigon', 'pending sub-pool is full', 'unavailable'],
  ['geth', 'txpool is full', 'unavailable'],
  ['nethermind', 'Syncing', 'unavailable'],
  ['a provider', 'Too Many Requests', 'unavailable'],
  ['nobody', 'some words no node has', 'unknown'],
];

test.each(said)('default: %s says "%s": %s', (_node, text, expected) => {
  expect(classifySendError(asViem(text))).toBe(expected);
  expect(classifySendError(new Error(text))).toBe(expected);
});

test('behavior: what viem adds to the words of a node does not count', () => {
  // viem's own text for -32000 speaks of "Missing or invalid parameters", its request body may hold anything.
  const error = new RpcRequestError({
    body: { raw: 'nonce too low' },
    error: { code: -32000, message: 'odd' },
    url: '',
  });
  expect(nodeText(error)).toBe('odd');
  expect(classifySendError(error)).toBe('unknown');
});

test('behavior: a node that does not answer, or answers in HTTP alone, is unavailable; its words count if it has any', () => {
  expect(classifySendError(new TimeoutError({ body: {}, url: 'http://rpc' }))).toBe('unavailable');
  expect(classifySendError(new HttpRequestError({ url: 'http://rpc', status: 599, details: 'odd' }))).toBe(
    'unavailable',
  );
  expect(classifySendError(new HttpRequestError({ url: 'http://rpc', status: 500, details: 'nonce too low' }))).toBe(
    'nonce_too_low',
  );
});
