import { describe, expect, test } from '@jest/globals';
import { healthOf, latenessOf, type PriceState, quietMs } from './validator-health.ts';
import type { ConfigDocument, NodeDocument, RoundDocument } from './validator-network.ts';

const now = new Date('2026-06-01T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

const config: ConfigDocument = {
  _id: 'current',
  ...{ chain_id: 31_337, version: 2, digest: '0xd1', quorum: 3, f: 1, round_seconds: 10, heartbeat_seconds: 60 },
  oracles: [0, 1, 2, 3].map((index) => ({ index, signer: `0x0${index}`, transmitter: `0x1${index}` })),
  since: ago(3_600),
};
const node = (index: number, seconds: number, digest = '0xd1'): NodeDocument => ({
  ...{ _id: `oracle-${index}`, digest, node_index: index },
  last_seen: ago(seconds),
});
const round = (number: number, seconds: number, observers: number[]): RoundDocument => ({
  ...{ _id: `0xd1:1:${number}`, digest: '0xd1', epoch: 1, round: number, leader: 0, outcome: 'report' },
  ...{ observers, signers: observers, prices: [], strategies: [] },
  finished_at: ago(seconds),
});
const statuses = (nodes: NodeDocument[], rounds: RoundDocument[]) =>
  healthOf(config, nodes, rounds, now).map(({ status }) => status);
const all = [0, 1, 2, 3];
const heard = all.map((index) => node(index, 2));

describe('an oracle', () => {
  test('default: is ok while it observes, and may miss one round', () => {
    expect(statuses(heard, [round(3, 5, [0, 1, 2]), round(2, 15, all), round(1, 25, all)])).toEqual(
      all.map(() => 'ok'),
    );
  });

  test('behavior: is silent when the last three rounds went on without it, though it still speaks', () => {
    const rounds = [3, 2, 1].map((number, at) => round(number, 5 + 10 * at, [0, 1, 2]));
    expect(statuses(heard, rounds)).toEqual(['ok', 'ok', 'ok', 'silent']);
  });

  test('behavior: is silent when it was not heard for three rounds and some slack', () => {
    const rounds = [3, 2, 1].map((number, at) => round(number, 5 + 10 * at, all));
    expect(statuses([...heard.slice(0, 3), node(3, 61)], rounds)[3]).toBe('silent');
    expect(statuses([...heard.slice(0, 3), node(3, 59)], rounds)[3]).toBe('ok');
  });

  test.each([
    [4, 24],
    [10, 60],
    [1_800, 5_430],
  ])('behavior: with rounds of %i s it may be quiet for %i s', (round_seconds, quietSeconds) => {
    expect(quietMs({ round_seconds })).toBe(quietSeconds * 1_000);
  });

  test('behavior: without rounds, who speaks is ok, who stopped is silent, who never spoke is unknown', () => {
    expect(statuses([node(0, 1), node(1, 600)], [round(1, 600, all)])).toEqual(['ok', 'silent', 'unknown', 'unknown']);
  });

  test('behavior: what a node said under another configuration does not count', () => {
    expect(statuses([node(0, 1, '0xother')], [])).toEqual(all.map(() => 'unknown'));
  });
});

describe('the next price', () => {
  const price = (more: Partial<PriceState> = {}): PriceState => ({
    ...{ lastUpdate: ago(200), minIntervalSeconds: 60, isPaused: false, isUnfunded: false },
    ...{ lastTransmission: { status: 'success', reason: null }, rounds: [] },
    ...more,
  });
  const late = (nodes: NodeDocument[], rounds: RoundDocument[], more: Partial<PriceState> = {}) =>
    latenessOf(config, healthOf(config, nodes, rounds, now), rounds[0], price(more), { chain: now, wall: now });
  const goingOn = [round(3, 5, all), round(2, 15, all), round(1, 25, all)];

  test('default: is due after the heartbeat and two rounds', () => {
    expect(late(heard, goingOn, { lastUpdate: ago(79) }).lateMs).toBe(0);
    expect(late(heard, goingOn, { lastUpdate: ago(81) })).toMatchObject({ lateMs: 1_000, reason: 'not_reported' });
    expect(late(heard, goingOn, { lastUpdate: ago(200), minIntervalSeconds: 180 }).lateMs).toBe(0);
  });

  test.each<[string, NodeDocument[], RoundDocument[], Partial<PriceState>]>([
    ['paused', heard, goingOn, { isPaused: true, isUnfunded: true }],
    ['unfunded', heard, goingOn, { isUnfunded: true }],
    ['too_few_observers', [node(0, 1), node(1, 1), node(2, 600), node(3, 600)], [round(1, 600, all)], {}],
    ['no_rounds', heard, [round(1, 600, all)], {}],
    ['transmission_fails', heard, goingOn, { rounds: goingOn, lastTransmission: { status: 'failure', reason: 'x' } }],
    ['not_reported', heard, goingOn, {}],
  ])('behavior: %s keeps it', (reason, nodes, rounds, more) => {
    expect(late(nodes, rounds, more).reason).toBe(reason);
  });

  test('behavior: nodes that are away are named', () => {
    const nodes = [node(0, 1), node(1, 1), node(2, 600), node(3, 600)];
    expect(late(nodes, [round(1, 600, all)]).detail).toBe(
      '2 of 4 nodes answer, 3 must observe. Silent: oracle-2, oracle-3.',
    );
  });

  test('behavior: a quorum above what must observe is a reason of its own', () => {
    const strict = { ...config, quorum: 4 };
    const nodes = [node(0, 1), node(1, 1), node(2, 1), node(3, 600)];
    const rounds = [round(1, 600, all)];
    const found = latenessOf(strict, healthOf(strict, nodes, rounds, now), rounds[0], price(), {
      chain: now,
      wall: now,
    });
    expect(found.reason).toBe('too_few_signers');
  });
});
