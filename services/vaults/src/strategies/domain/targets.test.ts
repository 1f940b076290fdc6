import { MandateDocument } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { snapshotOf } from './facts.ts';
import { idleTargetOf, inForce, mandateCapOf, mandateIdleOf, restOf, revisionAt, withTargets } from './targets.ts';

const [first, second] = [anAddress(0x51).toLowerCase(), anAddress(0x52).toLowerCase()] as [string, string];
const mandate = MandateDocument.parse({
  format: 1,
  title: 'Strict',
  promises: [
    { id: 'any', kind: 'source_share', at_most_bps: 6_000 },
    { id: 'first', kind: 'source_share', source: first, at_most_bps: 4_500 },
    { id: 'idle', kind: 'idle_share', at_least_bps: 200 },
    { id: 'fee', kind: 'performance_fee', at_most_bps: 1 },
  ],
});
const sourceOf = (address: string, amount: string | null) => ({
  ...{ address, amount, shares: null, pps: null, available: null, apy: null, tvl: null },
});
const facts = {
  ...{ block_number: 9, block_hash: '0x', block_time: 0, free: '500', tvl: '1001', supply: '1', pps: '1' },
  ...{ pps_precision: '1', queue_count: 0, queue_shares: '0', price: null },
  sources: [sourceOf(first, '501'), sourceOf(second, '0')],
};

test('default: of two caps the stricter is in force, and no target is above it', () => {
  expect([first, second].map((source) => mandateCapOf(mandate, source))).toEqual([4_500, 6_000]);
  expect([mandateCapOf(null, first), mandateIdleOf(mandate), mandateIdleOf(null)]).toEqual([null, 200, null]);
  expect(inForce({ target_bps: 4_000, cap_bps: 5_000 }, 4_500)).toEqual({ target_bps: 4_000, cap_bps: 4_500 });
  expect(inForce({ target_bps: 5_000, cap_bps: null }, 4_500)).toEqual({ target_bps: 4_500, cap_bps: 4_500 });
  expect(inForce({ target_bps: 4_000, cap_bps: 4_200 }, null)).toEqual({ target_bps: 4_000, cap_bps: 4_200 });
  expect(inForce({ target_bps: null, cap_bps: null }, null)).toEqual({ target_bps: null, cap_bps: null });
});

test('behavior: idle has what the targets leave, once every source has one', () => {
  expect(idleTargetOf([4_000, 0, 5_500])).toBe(500);
  expect([idleTargetOf([4_000, null]), idleTargetOf([])]).toEqual([null, null]);
  expect(restOf([4_000, null, 5_500])).toBe(500);
});

test('default: strategies see share and distance of what is set, and no value where nothing is', () => {
  const revision = { sources: [{ source: first, target_bps: 4_000, cap_bps: 7_000 }] };
  const { values } = snapshotOf(withTargets(facts, revision, mandate));
  expect(values).toMatchObject({
    vault_idle_target: null,
    [`ys_${first}_target_share`]: '0.4',
    [`ys_${first}_cap_share`]: '0.45',
    // 40 % of 1001 is 400.4, and 45 % is 450.45: rounded down.
    [`ys_${first}_to_target`]: '-101',
    [`ys_${first}_to_cap`]: '-51',
    [`ys_${second}_target_share`]: null,
    [`ys_${second}_to_target`]: null,
    [`ys_${second}_to_cap`]: '600',
  });
  const unread = { ...facts, sources: [sourceOf(first, null)] };
  expect(snapshotOf(withTargets(unread, revision, null)).values[`ys_${first}_to_target`]).toBeNull();
  const whole = { sources: [...revision.sources, { source: second, target_bps: 5_500, cap_bps: null }] };
  expect(snapshotOf(withTargets(facts, whole, null)).values.vault_idle_target).toBe('0.05');
});

test('behavior: a reading is compared with the revision of its block', () => {
  const revisions = [3, 7, 7].map((from_block, index) => ({ version: index + 1, from_block, sources: [] }));
  expect([2, 3, 6, 7, 99].map((block) => revisionAt(revisions, block)?.version ?? null)).toEqual([null, 1, 1, 3, 3]);
});
