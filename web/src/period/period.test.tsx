import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { aVault } from '../../test/builders.ts';
import { renderPage } from '../../test/harness.tsx';
import { periodOf, whyNot } from './period.ts';
import { PeriodPicker, UnitToggle } from './period-picker.tsx';
import { useView } from './use-view.ts';

const DAY = 86_400;
const vault = aVault({ created_at: '2025-12-20T00:00:00Z', chain_time: '2026-01-01T00:00:00Z' });

function Page() {
  const { period, unit, ageSeconds, setPeriod, setUnit } = useView(vault);
  return (
    <>
      <PeriodPicker period={period} ageSeconds={ageSeconds} onChange={setPeriod} />
      <UnitToggle unit={unit} symbol="USDC" onChange={setUnit} />
      <p>{`${period} ${unit}`}</p>
    </>
  );
}

describe('the period of a page', () => {
  test('default: 30 days, all of a younger vault, or what the URL names', () => {
    expect(periodOf(null, 31 * DAY)).toBe('30d');
    expect(periodOf(null, 12 * DAY)).toBe('all');
    expect(periodOf('7d', 12 * DAY)).toBe('7d');
    expect(periodOf('1w', 31 * DAY)).toBe('30d');
    expect(whyNot('30d', 12 * DAY)).toBe('The vault is 12 days old');
    expect(whyNot('24h', 3_600)).toBe('The vault is 1 h old');
    expect(whyNot('all', 0)).toBeUndefined();
  });

  test('behavior: a choice goes into the URL and leaves hash and other parts', async () => {
    const { where } = await renderPage(<Page />, { path: '/v', url: '/v?at=2025-12-30T00:00:00Z#risk' });
    expect(screen.getByText('all usd')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: '7d' }));
    await userEvent.click(screen.getByRole('button', { name: 'USDC' }));
    expect(screen.getByText('7d token')).toBeTruthy();
    expect(where).toMatchObject({ search: '?at=2025-12-30T00%3A00%3A00Z&period=7d&unit=token', hash: '#risk' });
    expect(screen.getByRole('button', { name: '7d' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('behavior: a period the vault is too young for says so, can be reached and changes nothing', async () => {
    const { where } = await renderPage(<Page />, { path: '/v', url: '/v' });
    const button = screen.getByRole('button', { name: '90d', description: 'The vault is 12 days old' });
    expect(button.getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(button);
    expect(where.search).toBe('');
  });
});
