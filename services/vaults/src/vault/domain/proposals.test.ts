import type { VaultDetail } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { proposalsOf } from './proposals.ts';

type Proposed = Pick<VaultDetail, 'pending_manager_change' | 'pending_fee_config' | 'withdrawal_status'> & {
  merkle: Pick<VaultDetail['merkle'], 'proposed_root' | 'effective_at'>;
};
const nothing: Proposed = {
  pending_manager_change: null,
  pending_fee_config: null,
  withdrawal_status: null,
  merkle: { proposed_root: null, effective_at: null },
};
const of = (parts: Partial<Proposed>) => proposalsOf({ ...nothing, ...parts } as VaultDetail);
const [first, second, third] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'] as const;

test('default: all that is proposed, the first to take effect first and what has no time last', () => {
  const fee = { performance_fee_bps: 1, management_fee_bps: 1, recipient: '0x', effective_at: third };
  const found = of({
    pending_manager_change: { proposed_manager: '0x', proposer: null, effective_at: second },
    pending_fee_config: fee,
    withdrawal_status: { amount: '1', effective_at: first },
    merkle: { proposed_root: '0x', effective_at: null },
  });
  expect(found).toEqual([
    { kind: 'upkeep_withdrawal', effective_at: first },
    { kind: 'primary_manager', effective_at: second },
    { kind: 'fees', effective_at: third },
    { kind: 'hooks_root', effective_at: null },
  ]);
});

test('behavior: nothing proposed is an empty list', () => {
  expect(of({})).toEqual([]);
});
