import fc from 'fast-check';
import type { FactEvent, JournalItem, Observed, SignalKind } from './journal.ts';

/** Histories of a vault as the rules get them. */

/** 2026-06-01T00:00:00Z. */
export const START = Date.UTC(2026, 5, 1) / 1000;
const HOUR = 3_600;
const DAY = 86_400;

/** A healthy vault whose price was set at the start and lasts a day. */
export const anObservation = (seen: Partial<Observed> = {}): FactEvent => ({
  type: 'observed',
  is_paused: false,
  is_stale: false,
  last_update: START,
  expiration_seconds: DAY,
  upkeep_enabled: true,
  upkeep_balance: '1000',
  upkeep_cost: '5',
  divergence_bps: 1,
  guard_bps: 100,
  ...seen,
});

/** Items of blocks at seconds after the start. */
export const journalOf = (...entries: readonly [number, ...FactEvent[]][]): JournalItem[] =>
  entries.map(([after, ...events], index) => ({ n: index + 1, time: START + after, block: 100 + index, events }));

/** A rule as it is, switched on or off. */
export const switched = (
  rule_id: string,
  enabled: boolean,
  delays = { for_seconds: 0, clear_seconds: 0 },
): FactEvent => ({
  type: 'settings',
  rule_id,
  settings: { enabled, thresholds: {}, ...delays, owner: 'Primary manager' },
});

/** Forty days in which everything goes wrong once. */
export function history(): JournalItem[] {
  const signal = (kind: SignalKind, failing: boolean): FactEvent => ({
    type: 'signal',
    kind,
    subject: '7',
    failing,
    detail: 'It failed.',
  });
  const at = (day: number, hours = 0) => day * DAY + hours * HOUR;
  const reported = (after: number): FactEvent => ({ type: 'reported', timestamp: START + after });
  const proposal = (what: 'manager' | 'root' | 'fees' | 'upkeep_withdrawal'): FactEvent => ({
    type: 'proposed',
    what,
    detail: '0x01',
    effective_at: START + at(30),
  });
  const entries: [number, ...FactEvent[]][] = [
    [0, { type: 'deployed', name: 'USDC Core' }, anObservation()],
    [at(2), reported(at(2))],
    [at(2, 1), { type: 'paused' }],
    [at(2, 3), { type: 'unpaused' }],
    [at(2, 6), reported(at(2, 6)), { type: 'refused', reason: 'dispersion' }],
    [at(2, 7), reported(at(2, 7))],
    [at(3), anObservation({ last_update: START + at(3), divergence_bps: -120 })],
    [at(3, 1), anObservation({ last_update: START + at(3, 1) })],
    [at(4), ...Array.from({ length: 12 }, (_, n): FactEvent => ({ type: 'requested', controller: `0x${n}` }))],
    ...Array.from({ length: 12 }, (_, n): [number, FactEvent] => [
      at(4, 2) + n,
      { type: 'settled', controller: `0x${n}` },
    ]),
    ...Array.from({ length: 60 }, (_, n): [number, ...FactEvent[]] => [
      at(5, n),
      reported(at(5, n)),
      { type: 'spent', amount: '5', balance: `${900 - n * 15}` },
    ]),
    [at(8), anObservation({ last_update: START + at(8), upkeep_balance: '2' })],
    [at(8, 2), anObservation({ last_update: START + at(8, 2) })],
    [
      at(9),
      {
        type: 'sample',
        gas: [{ wallet: '0xAB', role: 'keeper', balance: '1' }],
        services: [{ name: 'keeper', up: false }],
      },
    ],
    [
      at(9, 1),
      {
        type: 'sample',
        gas: [{ wallet: '0xAB', role: 'keeper', balance: `${10n ** 18n}` }],
        services: [{ name: 'keeper', up: true }],
      },
    ],
    [at(10), { type: 'sample', transmissions: { attempts: 20, successes: 18 } }],
    [at(10, 1), { type: 'sample', transmissions: { attempts: 20, successes: 10 } }],
    [at(10, 2), { type: 'sample', transmissions: { attempts: 20, successes: 20 } }],
    [at(11), signal('strategy', true), signal('automation', true), signal('mandate', true)],
    [at(11, 1), signal('strategy', false), signal('automation', false), signal('mandate', false)],
    [
      at(12),
      {
        type: 'sample',
        nodes: [{ index: 2, node_id: 'oracle-2', silent: true }],
        pause_proof: { ok: false, old: false, reason: 'NO_GAS' },
      },
    ],
    [
      at(12, 1),
      {
        type: 'sample',
        nodes: [{ index: 2, node_id: 'oracle-2', silent: false }],
        pause_proof: { ok: true, old: false, reason: null },
      },
    ],
    [at(12, 2), { type: 'node_price', node_id: 'oracle-2', index: 2, stale: true }],
    [at(12, 3), { type: 'node_price', node_id: 'oracle-2', index: 2, stale: false }],
    [at(13), { type: 'veto', scope: 'strategy', on: true }],
    [at(13, 1), { type: 'veto', scope: 'strategy', on: false }],
    [at(14), ...(['manager', 'root', 'fees', 'upkeep_withdrawal'] as const).map(proposal)],
    [
      at(15),
      ...(['manager', 'root', 'fees', 'upkeep_withdrawal'] as const).map(
        (what): FactEvent => ({ type: 'decided', what }),
      ),
    ],
    [at(16), reported(at(16))],
  ];
  return journalOf(...entries.sort(([left], [right]) => left - right));
}

const anEvent = (time: number): fc.Arbitrary<FactEvent> =>
  fc.oneof(
    fc
      .record({
        is_paused: fc.boolean(),
        upkeep_balance: fc.constantFrom('1', '60', '1000'),
        divergence_bps: fc.constantFrom(null, 1, 97, 150),
        last_update: fc.constantFrom(START, time),
      })
      .map(anObservation),
    fc.constantFrom<FactEvent>(
      { type: 'paused' },
      { type: 'unpaused' },
      { type: 'reported', timestamp: time },
      { type: 'refused', reason: 'deviation' },
      { type: 'interval_changed' },
      { type: 'spent', amount: '5', balance: '80' },
      { type: 'deposited', amount: '40' },
      { type: 'withdrawn', amount: '40' },
    ),
    fc.record({
      type: fc.constantFrom('requested' as const, 'settled' as const),
      controller: fc.constantFrom('0x1', '0x2'),
    }),
    fc
      .record({ index: fc.nat(1), silent: fc.boolean(), node_id: fc.constantFrom('a', 'b', null) })
      .map((node): FactEvent => ({ type: 'sample', nodes: [node] })),
    fc.record(
      {
        type: fc.constant('node_price' as const),
        node_id: fc.constantFrom('a', 'b'),
        index: fc.constantFrom(null, 0, 1),
        stale: fc.boolean(),
      },
      { requiredKeys: ['type', 'index', 'stale'] },
    ),
    fc.boolean().map((on): FactEvent => ({ type: 'veto', scope: 'strategy', on })),
    fc
      .tuple(fc.constantFrom('vault_paused', 'pps_staleness_warning', 'pps_deviation'), fc.boolean(), fc.boolean())
      .map(([rule, enabled, isHeld]) =>
        switched(rule, enabled, isHeld ? { for_seconds: 60, clear_seconds: 3_600 } : undefined),
      ),
  );

/** Up to sixty items over three days, some at one time. */
export const randomJournal: fc.Arbitrary<JournalItem[]> = fc
  .array(fc.nat(3 * DAY - 1), { maxLength: 60 })
  .map((times) => times.map((after) => (after % 7 === 0 ? 3_600 : after)).sort((left, right) => left - right))
  .chain((times) =>
    fc.tuple(
      ...times.map((after) =>
        fc
          .array(anEvent(START + after), { minLength: 1, maxLength: 3 })
          .map((events) => [after, ...events] as [number, ...FactEvent[]]),
      ),
    ),
  )
  .map((entries) => journalOf(...entries));
