import { describe, expect, test } from '@jest/globals';
import type { Address, Hash } from 'viem';
import type { SignedPrice } from '../ports.ts';
import type { PendingEvent, StrategyOutcome, TransmitEvent } from '../transmit/types.ts';
import { configEvents, endpointEvents, ofPlugin, ofProtocol, statusOf, transmitEvents } from './metrics-of.ts';

const strategy = (n: number): Address => `0x${String(n).padStart(40, '0')}`;
const hash = `0x${'ab'.repeat(32)}` as Hash;
const price = (n: number): SignedPrice => ({
  chainId: 31_337,
  strategy: strategy(n),
  nonce: 1n,
  timestamp: 1n,
  pps: 1n,
  signatures: [],
  signers: [],
});
const outcome = (n: number, status: StrategyOutcome['status'], reason: string | null = null): StrategyOutcome => ({
  strategy: strategy(n),
  status,
  reason,
});
const ended = (
  type: PendingEvent['type'],
  outcomes: StrategyOutcome[],
  reason: string | null = null,
): TransmitEvent => ({
  id: `key:${type}`,
  type,
  hash,
  blockNumber: 5n,
  reason,
  outcomes,
  key: 'key',
  kind: 'transmit',
  about: { epoch: 1, round: 2, digest: '0x' },
  nonce: 3,
  prices: outcomes.map((_, n) => price(n)),
});

describe('a transmission', () => {
  test.each<[string, PendingEvent['type'], StrategyOutcome[]]>([
    ['success', 'confirmed', [outcome(0, 'success'), outcome(1, 'superseded')]],
    ['failure', 'confirmed', [outcome(0, 'success'), outcome(1, 'failure', 'StrategyPaused')]],
    ['superseded', 'confirmed', [outcome(0, 'superseded')]],
    ['superseded', 'superseded', []],
    ['failure', 'failed', []],
    ['error', 'lost', []],
  ])('default: counts as %s when it ended as %s', (status, type, outcomes) => {
    expect(statusOf({ type, outcomes })).toBe(status);
  });

  test('behavior: is counted once at its end, with its time and what the contract refused', () => {
    const eventsOf = transmitEvents(31_337, new Map([['key', 1_000]]), () => 4_500);
    const attempt = { type: 'attempted', key: 'key', hash, nonce: 1, fees: { maxFee: 1n, tip: 1n } } as const;
    expect(eventsOf({ ...attempt, result: 'accepted' })).toEqual([
      { type: 'tx', chainId: 31_337, change: 'broadcast' },
    ]);
    expect(eventsOf({ ...attempt, result: 'accepted' })).toEqual([]);
    const outcomes = [outcome(0, 'success'), outcome(1, 'failure', 'InsufficientUpkeep')];
    expect(eventsOf(ended('mined', outcomes)).filter(({ type }) => type === 'transmit_finished')).toEqual([]);
    expect(eventsOf(ended('confirmed', outcomes))).toEqual([
      { type: 'tx', chainId: 31_337, change: 'finalized' },
      { type: 'strategy_rejected', chainId: 31_337, reason: 'unfunded' },
      { type: 'transmit_finished', chainId: 31_337, status: 'failure', seconds: 3.5 },
    ]);
  });

  test('behavior: a transaction that only fills a gap of the account is no transmission', () => {
    const eventsOf = transmitEvents(31_337, new Map(), () => 0);
    expect(eventsOf({ ...ended('confirmed', []), kind: 'fill' } as TransmitEvent)).toEqual([]);
  });
});

describe('a phase', () => {
  const phase = { type: 'phase', phase: 'should_transmit', seconds: 1, epoch: 1, round: 1 } as const;

  test('behavior: is reported by the plugin; the protocol adds only that it stopped waiting', () => {
    expect(ofProtocol({ ...phase, result: 'success' })).toEqual([]);
    expect(ofProtocol({ ...phase, result: 'timeout' })).toHaveLength(1);
  });

  test.each([
    ['nonce_mismatch', ['phase', 'transmit_finished'], 'superseded'],
    ['stale', ['phase', 'transmit_finished'], 'skipped'],
    ['transmit', ['phase'], undefined],
    ['error', ['phase'], undefined],
  ] as const)('behavior: a due report judged %s', (result, types, status) => {
    const events = ofPlugin({ ...phase, result }, 31_337);
    expect(events.map(({ type }) => type)).toEqual(types);
    expect(events.find((event) => event.type === 'transmit_finished')?.status).toBe(status);
  });
});

test('behavior: an endpoint lags by how far the best of its chain is ahead', () => {
  const eventsOf = endpointEvents(new Map([[1, 12]]));
  eventsOf({ type: 'rpc', chainId: 1, rpc: 'rpc-0', result: 'ok', head: 100n });
  expect(eventsOf({ type: 'rpc', chainId: 1, rpc: 'rpc-1', result: 'behind', head: 98n })).toEqual([
    { type: 'rpc_request', chainId: 1, rpc: 1, result: 'error' },
    { type: 'rpc_head', chainId: 1, rpc: 1, block: 98n, lagSeconds: 24 },
  ]);
  expect(eventsOf({ type: 'rpc', chainId: 1, rpc: 'rpc-2', result: 'unavailable', head: null })).toHaveLength(1);
});

test('behavior: only a configuration after the first of the process counts as a change', () => {
  const eventsOf = configEvents();
  const active = { type: 'config_active', version: 1n, digest: '0x', oracles: 4, f: 1, fromStore: true } as const;
  expect(eventsOf(active)).toMatchObject([{ firstAfterStart: true, signers: 4 }]);
  expect(eventsOf(active)).toMatchObject([{ firstAfterStart: false }]);
  expect(eventsOf({ type: 'config_refused', reason: 'version_not_increasing', message: '' })).toEqual([
    { type: 'config_refused', reason: 'reorg' },
  ]);
  expect(eventsOf({ type: 'poll_failed', error: null })).toEqual([]);
});
