import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { anAddress, aPublicVault, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import type { MyVault } from '../data/queries.ts';
import { concernsOf } from './attention.ts';
import { AttentionList } from './attention-list.tsx';

const ids = (parts: Parameters<typeof aVault>[0]) => concernsOf(aVault(parts)).map(({ id, tone }) => `${tone} ${id}`);
const upkeep = aVault().upkeep_info;

describe('what needs attention', () => {
  test('default: a live vault has nothing', () => {
    expect(ids({})).toEqual([]);
  });

  test('behavior: each danger is named, the worst first, a paused vault not also for its price', () => {
    expect(ids({ is_paused: true, operational_state: 'paused', pps_status: 'expired' })).toEqual(['critical paused']);
    expect(ids({ operational_state: 'stale', pps_status: 'expired' })).toEqual(['critical price']);
    expect(ids({ operational_state: 'awaiting_price' })).toEqual(['warn price']);
    expect(ids({ divergence_bps: -51 })).toEqual(['critical guard']);
    expect(ids({ upkeep_info: { ...upkeep, runway_seconds: 86_400 } })).toEqual(['warn upkeep']);
    expect(
      ids({
        pps_status: 'critical',
        upkeep_info: { ...upkeep, threshold: { required_balance: '1000', shortfall: '1' } },
      }),
    ).toEqual(['critical upkeep', 'warn price']);
  });

  test('behavior: a pending change of the manager is said loudest, and counted', async () => {
    const mine: MyVault = { ...aPublicVault(), my_role: 'secondary_manager' };
    const pending_manager_change = {
      proposed_manager: anAddress(0x66),
      proposer: anAddress(0x67),
      effective_at: '2026-01-06T00:00:00Z',
    };
    const vault = aVault({ pending_manager_change, operational_state: 'awaiting_price', my_role: 'secondary_manager' });
    await renderPage(<AttentionList vaults={[mine]} />, { api: fakeApi({ vault: async () => vault }) });
    expect((await screen.findByRole('alert')).textContent).toContain('USDC Core: a new primary manager is proposed');
    expect(screen.getByRole('heading', { name: 'Needs attention (2)' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'USDC Core: Waiting for a price' }).getAttribute('href')).toBe(
      `/operate/devnet/${vault.vault_address}#pricing`,
    );
  });

  test('behavior: a vault that cannot be read is not counted as well', async () => {
    const vault = async () => {
      throw Object.assign(new Error('x'), { status: 503, detail: 'away' });
    };
    await renderPage(<AttentionList vaults={[{ ...aPublicVault(), my_role: 'primary_manager' }]} />, {
      api: fakeApi({ vault }),
    });
    expect(await screen.findByText(/1 could not be read and may need attention too/)).toBeTruthy();
  });
});
