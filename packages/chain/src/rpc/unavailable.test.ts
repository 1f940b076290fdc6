import { expect, test } from '@jest/globals';
import { BaseError, RpcRequestError } from 'viem';
import { isRpcUnavailable, isStatePruned } from './unavailable.ts';

const saying = (message: string) =>
  new BaseError('The contract could not be read.', {
    cause: new RpcRequestError({ body: {}, error: { code: -32_000, message }, url: 'http://rpc.invalid' }),
  });

test.each([
  ['missing trie node 0xab (path ) state 0xcd is not available', true],
  ['historical state 0xab is not available', true],
  ['required historical state unavailable (reexec=128)', true],
  ['distance to target block exceeds maximum proof window: state has been pruned', true],
  ['BlockOutOfRangeError: block height is 1674 but requested was 650', true],
  ['BlockOutOfRangeError: block height is 650 but requested was 651', false],
  ['header not found', false],
  ['upstream timeout', false],
])('behavior: whether "%s" is of a state that is gone: %s', (message, isGone) => {
  expect([isRpcUnavailable(saying(message)), isStatePruned(saying(message))]).toEqual([true, isGone]);
});
