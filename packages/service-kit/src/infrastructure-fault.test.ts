import { AppError } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { toAppError } from './errors-on-bus.ts';
import { isInfrastructureFault } from './infrastructure-fault.ts';

const error = (fields: object) => Object.assign(new Error('made by the test'), fields);

test.each([
  ['a store that no server answers for', error({ name: 'MongoServerSelectionError' })],
  ['a broken connection to the store', error({ name: 'MongoNetworkError' })],
  ['a cleared pool', error({ name: 'MongoPoolClearedError' })],
  ['a failover', error({ name: 'MongoServerError', code: 10_107 })],
  ['a labelled write', error({ name: 'MongoServerError', code: 1, errorLabels: ['RetryableWriteError'] })],
  ['a refused socket', error({ code: 'ECONNREFUSED' })],
  ['a fetch whose cause is a reset', error({ name: 'TypeError', cause: error({ code: 'ECONNRESET' }) })],
  ['JetStream without a leader', error({ name: 'NatsError', code: '503' })],
  ['a call that nobody answered', error({ type: 'REQUEST_TIMEOUT' })],
  ['a chain that cannot be reached', new AppError('RPC_UNAVAILABLE', 'away')],
])('behavior: %s is a fault of the infrastructure, and a retryable 503 outside', (_what, fault) => {
  expect(isInfrastructureFault(fault)).toBe(true);
  expect(toAppError(fault)).toMatchObject({ status: 503, retryable: true });
});

/** A read at a block as viem wraps what the node answered. */
const readRefused = (details: string) => {
  const answered = error({ name: 'RpcRequestError', code: -32_602, details });
  const named = error({ name: 'InvalidParamsRpcError', code: -32_602, details, cause: answered });
  const called = error({ name: 'CallExecutionError', details, cause: named });
  return error({ name: 'ContractFunctionExecutionError', details, cause: called });
};

test.each([
  'BlockOutOfRangeError: block height is 0 but requested was 100',
  'header not found',
  'Unknown block',
  'block not found: 0x64',
  'Block 0x64 not found',
])('behavior: a node that is behind and answers "%s" is a retryable 503 outside', (details) => {
  expect(isInfrastructureFault(readRefused(details))).toBe(true);
  expect(toAppError(readRefused(details))).toMatchObject({ status: 503, retryable: true });
});

test.each(['execution reverted: block not found', 'invalid argument 0', 'method not found'])(
  'behavior: a node that answers "%s" is not behind',
  (details) => {
    expect(isInfrastructureFault(readRefused(details))).toBe(false);
  },
);

test.each([
  ['a bug', new TypeError('x is not a function')],
  ['a refused write', error({ name: 'MongoServerError', code: 11_000 })],
  ['a schema that does not fit', error({ name: 'ZodError' })],
  ['a refusal of ours', new AppError('VAULT_NOT_FOUND', 'none', { cause: error({ code: 'ECONNREFUSED' }) })],
  ['a wrong subject', error({ name: 'NatsError', code: 'BAD_SUBJECT' })],
  ['nothing at all', undefined],
  ['a text', 'ECONNREFUSED'],
])('behavior: %s is not', (_what, fault) => {
  expect(isInfrastructureFault(fault)).toBe(false);
});
