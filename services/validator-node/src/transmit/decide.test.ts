import { feeDefaults } from '@castellan/transactor';
import { expect, test } from '@jest/globals';
import { parseGwei } from 'viem';
import { decide, type Situation } from './decide.ts';
import { newIntent } from './intent.ts';
import { type Attempt, type Intent, type TransmitSettings, transmitDefaults } from './types.ts';

const settings: TransmitSettings = {
  ...transmitDefaults,
  chainId: 1,
  fees: { ...feeDefaults, maxFeeLimit: parseGwei('100'), maxTip: parseGwei('100') },
  finality: 'finalized',
  maxAgeSeconds: 100,
};
const anAttempt = (changes: Partial<Attempt> = {}): Attempt => ({
  ...{ hash: '0x1', raw: '0x1', purpose: 'deliver', sentAt: new Date(0), sentBlock: 100n },
  fees: { maxFee: parseGwei('10'), tip: parseGwei('1') },
  ...changes,
});
const pending = (attempts: readonly Attempt[] = [anAttempt()]): Intent => ({
  ...newIntent({ key: 'k', prices: [], about: { epoch: 1, round: 1, digest: '0x' }, createdAt: new Date(0) }),
  ...{ state: 'pending', nonce: 1, attempts },
});
const calm: Situation = {
  ...{ headNumber: 101n, nowMs: 1_000, fresh: true, useful: true, isLowest: true },
  market: { baseFee: parseGwei('5'), tip: parseGwei('1'), highTip: parseGwei('2') },
};
const at = (changes: Partial<Situation>, intent = pending()) => decide(intent, { ...calm, ...changes }, settings);

test('default: a young transaction waits, one that pools may have forgotten is sent again', () => {
  expect(at({})).toEqual({ do: 'wait' });
  expect(at({ nowMs: 60_000 })).toEqual({ do: 'resend' });
});

test('behavior: after three blocks it is raised, counted from its last attempt', () => {
  expect(at({ headNumber: 102n })).toEqual({ do: 'wait' });
  expect(at({ headNumber: 103n })).toMatchObject({ do: 'raise', fees: { tip: 1_125_000_000n } });
  expect(at({ headNumber: 103n }, pending([anAttempt(), anAttempt({ sentBlock: 102n })]))).toEqual({ do: 'wait' });
});

test('behavior: at the limit it is not raised, and that is reported', () => {
  const dear = pending([anAttempt({ fees: { maxFee: parseGwei('95'), tip: 1n } })]);
  expect(at({ headNumber: 103n }, dear)).toEqual({ do: 'alert', reason: 'fee_limit' });
});

test('behavior: the last part of the limit is for an empty transaction that takes its nonce', () => {
  const near = (purpose: 'deliver' | 'cancel') =>
    pending([anAttempt({ purpose, fees: { maxFee: parseGwei('85'), tip: parseGwei('1') } })]);
  expect(at({ headNumber: 103n }, near('deliver'))).toEqual({ do: 'alert', reason: 'fee_limit' });
  expect(at({ headNumber: 103n }, near('cancel'))).toMatchObject({ do: 'raise', fees: { maxFee: 95_625_000_000n } });
});

test('behavior: what outbids the dearest blocks is not raised: it does not reach the builders', () => {
  const rich = pending([anAttempt({ fees: { maxFee: parseGwei('20'), tip: parseGwei('3') } })]);
  expect(at({ headNumber: 103n }, rich)).toEqual({ do: 'alert', reason: 'connectivity' });
});

test('behavior: useless or too old prices are given up, an empty transaction is not given up again', () => {
  expect(at({ useful: false })).toEqual({ do: 'cancel', reason: 'useless' });
  expect(at({ fresh: false, useful: false })).toEqual({ do: 'cancel', reason: 'deadline' });
  expect(at({ fresh: false, useful: false }, pending([anAttempt({ purpose: 'cancel' })]))).toEqual({ do: 'wait' });
});

test('behavior: stuck is only the lowest nonce, after enough blocks and attempts, at a price that should do', () => {
  const many = pending([anAttempt(), anAttempt(), anAttempt(), anAttempt({ sentBlock: 129n })]);
  expect(at({ headNumber: 130n }, many)).toEqual({ do: 'cancel', reason: 'stuck' });
  expect(at({ headNumber: 129n }, many).do).toBe('wait');
  expect(at({ headNumber: 130n, isLowest: false }, many).do).toBe('wait');
  expect(at({ headNumber: 130n }, pending([anAttempt({ sentBlock: 100n })])).do).toBe('raise');
  expect(at({ headNumber: 130n, market: { ...calm.market, baseFee: parseGwei('50') } }, many).do).toBe('wait');
});
