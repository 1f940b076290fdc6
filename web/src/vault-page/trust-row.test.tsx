import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown } from '../../test/shown.ts';
import { aPricing, aRound, aTransmission } from '../../test/validators.ts';
import { TrustRow } from './trust-row.tsx';

const hash = `0x${'5'.repeat(64)}`;
const mark = (event: string, t: string) => ({ event, t, kind: 'pause', block: 5, tx_hash: hash });
const happened = (marks: ReturnType<typeof mark>[] = [], interval_seconds = 0) => ({
  marks,
  interval_seconds,
  quality: {},
});

const open = (parts: { transmissions?: unknown; analyticsMarks?: unknown } = {}, url = '/?period=30d') => {
  const transmissions = jest.fn(async () => parts.transmissions ?? aPricing());
  const analyticsMarks = jest.fn(async (_: { query: object }) => parts.analyticsMarks ?? happened());
  const shown = aShown({ chain_time: '2026-01-01T12:10:00Z' });
  const api = fakeApi({ transmissions, analyticsMarks });
  return renderPage(<TrustRow shown={shown} />, { api, url }).then((page) => ({
    ...page,
    transmissions,
    analyticsMarks,
    shown,
  }));
};
const section = () => screen.getByRole('region', { name: 'What you can check' });

test('default: who signed the price, what went wrong and a receipt, each with its proof', async () => {
  const { analyticsMarks, shown } = await open();
  const pricing = `/managed-vaults/devnet/${shown.vault.vault_address}/pricing?period=30d`;
  const signed = await within(section()).findByRole('link', {
    name: /^3 of 4 validators signed the price, stored 1 m .*ago$/,
  });
  expect(signed.getAttribute('href')).toBe(pricing);
  const quiet = await within(section()).findByRole('link', {
    name: /^No pause and no refused price since the vault began$/,
  });
  expect(quiet.getAttribute('href')).toBe(pricing);
  expect(within(section()).getByRole('button', { name: 'Receipt of the price that counts' })).toBeTruthy();
  // The whole history, whatever the period of the page, and nothing else of it.
  expect(analyticsMarks.mock.calls[0]?.[0].query).toEqual({ period: 'all', kinds: 'pause,guard', points: '500' });
});

test('behavior: the last pause or refused price is named, and all of them are counted; the end of a pause is none', async () => {
  const marks = [
    mark('StrategyCheckFailed', '2025-11-01T11:00:00Z'),
    mark('StrategyPaused', '2026-01-01T12:00:00Z'),
    mark('StrategyUnpaused', '2026-01-01T12:05:00Z'),
  ];
  await open({ analyticsMarks: happened(marks) });
  expect(await within(section()).findByRole('link', { name: /^Paused 10 m .*ago$/ })).toBeTruthy();
  await userEvent.click(within(section()).getByText('2 incidents in all'));
  const listed = within(section()).getByRole('list', { name: 'Incidents, the last first' });
  const [first, second] = within(listed).getAllByRole('listitem');
  expect(first?.textContent).toMatch(/^1 Jan 2026, 12:00 UTCPaused0x55/);
  expect(second?.textContent).toMatch(/^1 Nov 2025, 11:00 UTCPrice refused0x55/);
  expect(within(listed).getAllByRole('button', { name: 'Copy its transaction' })).toHaveLength(2);
  expect(within(listed).queryByRole('link')).toBeNull();
});

test('behavior: of more incidents the last five are listed, with the way to the others', async () => {
  const marks = Array.from({ length: 7 }, (_, day) => mark('StrategyPPSStale', `2025-12-0${day + 1}T11:00:00Z`));
  const { shown } = await open({ analyticsMarks: happened(marks) }, '/?period=24h&unit=token');
  await userEvent.click(await within(section()).findByText('7 incidents in all'));
  const listed = within(section()).getByRole('list', { name: 'Incidents, the last first' });
  expect(within(listed).getAllByText('Price marked stale')).toHaveLength(5);
  expect(within(listed).getByRole('link', { name: 'All of them beside the price' }).getAttribute('href')).toBe(
    `/managed-vaults/devnet/${shown.vault.vault_address}/pricing?period=all&unit=token`,
  );
});

test('behavior: of too many marks neither that there was no incident nor which was the last is said', async () => {
  const marks = [mark('StrategyPPSStale', '2025-12-01T11:00:00Z'), mark('StrategyUnpaused', '2026-01-01T12:05:00Z')];
  const { unmount } = await open({ analyticsMarks: happened(marks, 86_400) });
  expect(
    await within(section()).findByRole('link', { name: 'At least 1 incident since the vault began' }),
  ).toBeTruthy();
  await userEvent.click(within(section()).getByText('Some of them'));
  expect(within(section()).getByRole('list', { name: 'Some of the incidents, newest first' })).toBeTruthy();
  unmount();
  await open({ analyticsMarks: happened(marks.slice(1), 86_400) });
  expect(await within(section()).findByRole('link', { name: 'More happened than is listed here' })).toBeTruthy();
  expect(within(section()).queryByText(/^No pause/)).toBeNull();
});

test('behavior: a price that was not stored, or has no signatures, is not the one that was signed', async () => {
  const transmissions = [
    aTransmission({ status: 'failure' }),
    aTransmission({ signers: [] }),
    aTransmission({ round: 3, t: '2026-01-01T12:00:00.000Z' }),
  ];
  await open({ transmissions: aPricing({ transmissions, rounds: [aRound()] }) });
  expect(await within(section()).findByText(/^3 validators signed the price, stored 10 m .*ago$/)).toBeTruthy();
});

test('behavior: where no signers are known it does not say that there never was a price', async () => {
  const transmissions = [aTransmission({ status: 'failure' }), aTransmission({ signers: [] })];
  const { unmount } = await open({ transmissions: aPricing({ transmissions, rounds: [] }) });
  expect(await within(section()).findByText('Who signed the last price is not known')).toBeTruthy();
  unmount();
  await open({ transmissions: aPricing({ transmissions: [], rounds: [] }) });
  expect(await within(section()).findByText('No price was signed yet')).toBeTruthy();
});

test('error: what cannot be read says so, and its proof is still there', async () => {
  const failing = () => Promise.reject(Object.assign(new Error('x'), { status: 503, code: 'NOT_READY' }));
  await renderPage(<TrustRow shown={aShown()} />, {
    api: fakeApi({ transmissions: failing, analyticsMarks: failing }),
  });
  await waitFor(() => expect(within(section()).getByText('Who signed the price could not be read')).toBeTruthy(), {
    timeout: 12_000,
  });
  expect(within(section()).getAllByRole('link')).toHaveLength(2);
});

test('behavior: nothing is asked or said of a past moment', async () => {
  const { transmissions } = await open({}, '/?at=2026-01-29T00:00:00Z');
  expect(screen.queryByText('What you can check')).toBeNull();
  expect(transmissions).not.toHaveBeenCalled();
});
