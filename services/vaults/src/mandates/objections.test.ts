import { MandateDocument, preparedKinds, promiseKinds } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { objectionsTo } from './objections.ts';

const deputy = anAddress(0x21);
const other = anAddress(0x22);

/** The narrowest promise of every kind, refusing whatever breaks it. */
const { promises } = MandateDocument.parse({
  format: 1,
  title: 'Strict',
  promises: [
    { kind: 'source_share', at_most_bps: 0 },
    { kind: 'layer_share', layer: 'protocol', name: 'One', sources: [other], at_most_bps: 0 },
    { kind: 'idle_share', at_least_bps: 10_000 },
    { kind: 'drawdown', at_most_bps: 0 },
    { kind: 'largest_holder', at_most_bps: 0 },
    { kind: 'performance_fee', at_most_bps: 1_000 },
    { kind: 'entry_fee', at_most_bps: 10 },
    { kind: 'price_age', at_most_seconds: 1 },
    { kind: 'price_updates', at_least: 10_000, in_seconds: 60 },
    { kind: 'hooks', allowed: [] },
    { kind: 'managers', role: 'secondary_manager', allowed: [deputy] },
  ].map((promise) => ({ id: promise.kind.replaceAll('_', '-'), on_breach: 'refuse', ...promise })),
});
const pending_fee_config = {
  performance_fee_bps: 1_001,
  management_fee_bps: 11,
  recipient: other,
  effective_at: '2026-01-01T00:00:00Z',
};
const vault = { pending_fee_config };
const fees = (performance_fee_bps: number, management_fee_bps: number) => ({
  args: { performance_fee_bps, management_fee_bps, recipient: other },
  vault: { pending_fee_config: null },
});

test('default: fees beyond those promised, when they are proposed and when they are executed', () => {
  expect(objectionsTo({ promises }, 'propose_fees', fees(1_000, 10))).toEqual([]);
  expect(objectionsTo({ promises }, 'propose_fees', fees(1_001, 10))).toEqual([
    {
      promise_id: 'performance-fee',
      refuses: true,
      detail: 'The performance fee would be 10.01%; the mandate promises at most 10.00%.',
    },
  ]);
  const executed = objectionsTo({ promises }, 'execute_fees', { args: {}, vault });
  expect(executed.map(({ promise_id }) => promise_id)).toEqual(['performance-fee', 'entry-fee']);
});

test('security: a manager that the mandate does not name', () => {
  const adding = (manager_address: string) =>
    objectionsTo({ promises }, 'add_secondary_manager', { args: { manager_address }, vault });
  expect(adding(deputy.toLowerCase())).toEqual([]);
  expect(adding(other)).toMatchObject([{ promise_id: 'managers', refuses: true }]);
});

test('security: no mandate refuses what stops damage or pays depositors', () => {
  expect(promises.map(({ kind }) => kind).sort()).toEqual([...promiseKinds].sort());
  const refused = preparedKinds.filter(
    (kind) =>
      objectionsTo({ promises }, kind, { args: { ...fees(9_999, 9_999).args, manager_address: other } as never, vault })
        .length > 0,
  );
  expect(refused.sort()).toEqual(['add_secondary_manager', 'execute_fees', 'propose_fees']);
});
