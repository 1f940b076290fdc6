import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { aVault } from '../../test/builders.ts';
import { renderPage } from '../../test/harness.tsx';
import { Toolbar } from '../vault/toolbar.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { periodOf, rangeFault, spanOf, whyNot } from './period.ts';
import { PeriodPicker, UnitToggle } from './period-picker.tsx';
import { useView } from './use-view.ts';

const DAY = 86_400;
const vault = aVault({ created_at: '2025-12-20T00:00:00Z', chain_time: '2026-01-01T00:00:00Z' });

function Page() {
  const { span, words, unit, ageSeconds, setPeriod, setUnit } = useView(vault);
  return (
    <>
      <PeriodPicker period={'period' in span ? span.period : undefined} ageSeconds={ageSeconds} onChange={setPeriod} />
      <UnitToggle unit={unit} symbol="USDC" onChange={setUnit} />
      <p>{`${'period' in span ? span.period : words} ${unit}`}</p>
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

describe("a range of one's own choice", () => {
  const limits = { created: '2025-12-20T00:00:00.000Z', end: '2026-01-01T00:00:00.000Z' };
  const asked = (query: string) => spanOf(new URLSearchParams(query), 12 * DAY, limits);

  test('default: from and to of the URL go before its period, as the API takes them', () => {
    expect(asked('from=2025-12-24T00:00:00Z&to=2025-12-25T12:00:00Z&period=7d').span).toEqual({
      from: '2025-12-24T00:00:00.000Z',
      to: '2025-12-25T12:00:00.000Z',
    });
    expect(asked('from=2025-12-24T00:00:00Z').span).toEqual({ from: '2025-12-24T00:00:00.000Z' });
  });

  test.each([
    ['from=yesterday', /both a beginning and an end/],
    ['to=2025-12-24T00:00:00Z', /both a beginning and an end/],
    ['from=2025-12-25T00:00:00Z&to=2025-12-24T00:00:00Z', /beginning must be before/],
    ['from=2025-12-24T00:00:00Z&to=2025-12-24T00:00:00Z', /beginning must be before/],
    ['from=2025-12-24T00:00:00Z&to=2026-01-01T00:00:01Z', /read up to 1 Jan 2026/],
    ['from=2025-11-01T00:00:00Z&to=2025-12-20T00:00:00Z', /began on 20 Dec 2025/],
  ])('error: %s is not followed, and why is said', (query, reason) => {
    const { span, fault } = asked(`${query}&period=7d`);
    expect(span).toEqual({ period: '7d' });
    expect(fault).toMatch(reason);
  });

  test('behavior: what begins before the vault is good, the server cuts it', () => {
    expect(rangeFault({ from: '2025-01-01T00:00:00Z', to: limits.end }, limits)).toBeUndefined();
  });

  test('behavior: the form says what is wrong, and puts what is right into the URL in place of the period', async () => {
    const shown = { vault } as Shown;
    const { where } = await renderPage(<Toolbar shown={shown} />, { path: '/v', url: '/v?period=7d&unit=token#risk' });
    await userEvent.click(screen.getByRole('button', { name: 'Custom' }));
    fireEvent.change(screen.getByLabelText('From (UTC)'), { target: { value: '2025-12-30T00:00' } });
    fireEvent.change(screen.getByLabelText('To (UTC)'), { target: { value: '2025-12-29T00:00' } });
    await userEvent.click(screen.getByRole('button', { name: 'Show this range' }));
    expect(screen.getByRole('alert').textContent).toBe('The beginning must be before the end.');
    expect(where.search).toBe('?period=7d&unit=token');
    fireEvent.change(screen.getByLabelText('To (UTC)'), { target: { value: '2025-12-31T06:30' } });
    await userEvent.click(screen.getByRole('button', { name: 'Show this range' }));
    expect(where).toMatchObject({
      search: '?unit=token&from=2025-12-30T00%3A00%3A00.000Z&to=2025-12-31T06%3A30%3A00.000Z',
      hash: '#risk',
    });
    expect(screen.getByRole('button', { name: 'Custom' }).getAttribute('aria-pressed')).toBe('true');
    expect(screen.getByText(/from 30 Dec 2025, 00:00 UTC to 31 Dec 2025, 06:30 UTC/)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: '7d' }));
    expect(where.search).toBe('?unit=token&period=7d');
  });
});
