import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { anAddress, aPublicVault, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import type { MyVault } from '../data/queries.ts';
import { concernsOf } from './attention.ts';
import AttentionBadge from './attention-badge.tsx';
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

  test('behavior: a pending change of the manager is an alert, and the badge counts what is listed', async () => {
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

  test('behavior: the badge counts what the list counts, and is not there for nothing', async () => {
    const mine: MyVault = { ...aPublicVault(), my_role: 'primary_manager' };
    const list = async () => ({ vaults: [mine], total: 1, has_more: false, next_cursor: null });
    const api = (vault: ReturnType<typeof aVault>) => fakeApi({ myVaults: list, vault: async () => vault });
    await renderPage(<AttentionBadge />, { api: api(aVault({ operational_state: 'awaiting_price' })) });
    expect((await screen.findByText('thing needs attention')).parentElement?.textContent).toBe(
      '1 thing needs attention',
    );
    cleanup();
    const { queries } = await renderPage(<AttentionBadge />, { api: api(aVault()) });
    await waitFor(() => expect(queries.isFetching()).toBe(0));
    expect(screen.queryByText(/attention/)).toBeNull();
  });
});
