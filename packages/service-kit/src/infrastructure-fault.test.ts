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
