import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { anAddress, aVault } from '../../test/builders.ts';
import { config, fakeApi, renderPage } from '../../test/harness.tsx';
import { mergeDetail } from '../data/merge-updates.ts';
import { resolveVault } from '../vault/resolve.ts';
import { slicesOf } from '../vault/slices.ts';
import { PublicVaultPage } from './public-page.tsx';

const path = '/managed-vaults/:chainName/:vaultAddress/:section?';
const address = anAddress(0xabcdef);
/** Sooner than by the poll of every 15 s. */
const soon = { timeout: 12_000 };
const silence = () => new Promise<void>(() => undefined);
const open = (url: string, vault: () => Promise<unknown>) =>
  renderPage(<PublicVaultPage />, {
    api: fakeApi({
      vault,
      followVault: silence,
      analyticsOverview: silence,
      analyticsTvl: silence,
      analyticsPps: silence,
      analyticsMarks: silence,
      analyticsRun: silence,
      transmissions: silence,
      merkleProofStatus: silence,
    }),
    path,
    url,
  });

describe('public vault page', () => {
  test('default: the passport says read-only, the title names the vault, nothing can be operated', async () => {
    await open(`/managed-vaults/devnet/${address}`, async () => aVault({ vault_address: address }));
    expect(await screen.findByRole('heading', { level: 1, name: 'USDC Core' })).toBeTruthy();
    expect(screen.getByText('Read-only')).toBeTruthy();
    expect(document.title).toBe('USDC Core (cUSDC) · Castellan');
    expect(screen.queryByRole('button', { name: /Remove|Add manager|Pause vault/ })).toBeNull();
    expect(screen.getByRole('button', { name: 'Sign in' })).toBeTruthy();
  });

  test('default: it begins with the own position, then with what can be checked, then the figures', async () => {
    await open(`/managed-vaults/devnet/${address}`, async () => aVault({ vault_address: address }));
    await screen.findByRole('heading', { name: 'Overview' });
    const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(titles.slice(0, 2)).toEqual(['My position', 'What you can check']);
  });

  test('behavior: any case of the address leads to the canonical URL', async () => {
    const { where } = await open(`/managed-vaults/DEVNET/${address.toLowerCase()}/managers?period=7d`, async () =>
      aVault({ vault_address: address }),
    );
    await screen.findByRole('heading', { level: 1, name: 'USDC Core' });
    expect(where.pathname).toBe(`/managed-vaults/devnet/${address}/managers`);
    expect(where.search).toBe('?period=7d');
  });

  test('behavior: on a page of the past what is of the present says so, on each of its cards', async () => {
    const vault = async () => aVault({ vault_address: address });
    const page = `/managed-vaults/devnet/${address}`;
    const now = await open(`${page}/managers`, vault);
    await screen.findByRole('heading', { name: 'Primary manager' });
    expect(screen.queryByText('Of now')).toBeNull();
    now.unmount();
    const then = await open(`${page}/managers?at=2025-12-31T00:00:00Z`, vault);
    // Passport, primary and secondary managers, proofs, settings.
    expect(await screen.findAllByText('Of now')).toHaveLength(5);
    then.unmount();
    await open(`${page}?at=2025-12-31T00:00:00Z`, vault);
    expect(await screen.findByText('High-water mark')).toBeTruthy();
    for (const ofNow of ['Where the assets are', 'Idle assets', 'Next price update'])
      expect([ofNow, screen.queryByText(ofNow)]).toEqual([ofNow, null]);
  });

  test('behavior: the health line answers for now, each part with its proof, and not for the past', async () => {
    const vault = async () => aVault({ vault_address: address });
    const page = `/managed-vaults/devnet/${address}`;
    const now = await open(`${page}?period=7d`, vault);
    expect(await screen.findByRole('heading', { name: 'No trouble found, 2 not known yet' })).toBeTruthy();
    const proposals = screen.getByRole('link', { name: /Nothing is proposed/ });
    expect(proposals.getAttribute('href')).toBe(`${page}/managers?period=7d`);
    now.unmount();
    await open(`${page}?at=2025-12-31T00:00:00Z`, vault);
    await screen.findByRole('heading', { level: 1 });
    expect(screen.queryByRole('link', { name: /Nothing is proposed/ })).toBeNull();
  });

  test('default: figures of the detail that analytics derive as well open their receipts', async () => {
    await open(`/managed-vaults/devnet/${address}`, async () => aVault({ vault_address: address }));
    for (const label of ['Total value', 'Price per share', 'Calculated price', 'High-water mark']) {
      expect(await screen.findByRole('button', { name: `Receipt of ${label}` })).toBeTruthy();
    }
  });

  test('behavior: unknown vault, unknown chain and malformed address each have their own page', async () => {
    const unknown = async () => {
      throw Object.assign(new Error('x'), { status: 404, code: 'VAULT_NOT_FOUND', detail: 'No vault.' });
    };
    const first = await open(`/managed-vaults/devnet/${address}`, unknown);
    expect(await screen.findByRole('heading', { name: 'No such vault' })).toBeTruthy();
    first.unmount();
    const second = await open(`/managed-vaults/mars/${address}`, unknown);
    expect(await screen.findByRole('heading', { name: 'Unknown chain' })).toBeTruthy();
    second.unmount();
    await open('/managed-vaults/devnet/0x12', unknown);
    expect(await screen.findByRole('heading', { name: 'That is not an address' })).toBeTruthy();
  });

  test('behavior: an unreadable vault shows reason and request id', async () => {
    await open(`/managed-vaults/devnet/${address}`, async () => {
      throw Object.assign(new Error('x'), { status: 503, code: 'NOT_READY', detail: 'Indexing.', request_id: 'r-1' });
    });
    expect((await screen.findByRole('alert')).textContent).toContain('r-1');
  });

  test('behavior: a vault that could not be read at first is asked for again soon, stream or not', async () => {
    let asked = 0;
    await open(`/managed-vaults/devnet/${address}`, async () => {
      asked += 1;
      if (asked === 1) throw Object.assign(new Error('x'), { status: 503, code: 'NOT_READY', detail: 'Indexing.' });
      return aVault({ vault_address: address });
    });
    expect(await screen.findByRole('heading', { level: 1, name: 'USDC Core' }, soon)).toBeTruthy();
    expect(asked).toBe(2);
  });

  test('error: with the API away the page stays with its error and a retry while it asks again', async () => {
    let asked = 0;
    await open(`/managed-vaults/devnet/${address}`, async () => {
      asked += 1;
      return asked === 1 ? Promise.reject(new TypeError('Failed to fetch')) : silence();
    });
    await screen.findByRole('alert');
    await waitFor(() => expect(asked).toBe(2), soon);
    expect(screen.getByRole('alert').textContent).toContain('The vault could not be read');
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
  });

  test('behavior: a pending change of the primary manager is an alert', async () => {
    const pending_manager_change = {
      proposed_manager: anAddress(0x66),
      proposer: null,
      effective_at: '2026-01-06T00:00:00Z',
    };
    await open(`/managed-vaults/devnet/${address}`, async () =>
      aVault({ vault_address: address, pending_manager_change }),
    );
    expect((await screen.findByRole('alert')).textContent).toContain('can take over in');
  });
});

describe('resolveVault', () => {
  test('default: canonical only with EIP-55 and the slug', () => {
    expect(resolveVault(config, 'devnet', address)).toMatchObject({ kind: 'vault', isCanonical: true });
    expect(resolveVault(config, '31337', address)).toMatchObject({ kind: 'vault', isCanonical: false });
    expect(resolveVault(config, 'devnet', `0X${address.slice(2).toUpperCase()}`)).toMatchObject({ address });
  });
});

describe('mergeDetail', () => {
  const before = aVault({ my_role: 'primary_manager', updated_at: '2026-01-01T00:00:10Z' });

  test('default: a pushed reading replaces the figures and keeps the role', () => {
    const pushed = aVault({ current_pps: '2', updated_at: '2026-01-01T00:00:20Z' });
    expect(mergeDetail(before, pushed)).toMatchObject({ current_pps: '2', my_role: 'primary_manager' });
  });

  test('behavior: one that comes late is left out', () => {
    expect(mergeDetail(before, aVault({ current_pps: '2', updated_at: '2026-01-01T00:00:05Z' }))).toBe(before);
  });
});

test('behavior: a donut has six slices at most and one for the rest, which sum to the whole', () => {
  const items = Array.from({ length: 9 }, (_, index) => ({
    source_address: anAddress(index),
    name: `Source ${index}`,
    share: 1 / 9,
  }));
  const slices = slicesOf([...items, { source_address: anAddress(50), name: 'Unread', share: null }]);
  expect(slices).toHaveLength(7);
  expect(slices.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});
