import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown } from '../../test/shown.ts';
import { aPricing, aRound, aTransmission } from '../../test/validators.ts';
import { TrustRow } from './trust-row.tsx';

const hash = `0x${'5'.repeat(64)}`;
const mark = (kind: string, t: string) => ({ kind, t, label: kind, block: 5, tx_hash: hash });
/** Of the course of the price, which the page asks for anyway, only what this reads. */
const aPps = (markers: ReturnType<typeof mark>[] = []) => ({ markers, quality: {} });

const open = (parts: { transmissions?: unknown; analyticsPps?: unknown } = {}, url = '/?period=30d') => {
  const transmissions = jest.fn(async () => parts.transmissions ?? aPricing());
  const analyticsPps = jest.fn(async (_: { query: object }) => parts.analyticsPps ?? aPps());
  const shown = aShown({ chain_time: '2026-01-01T12:10:00Z' });
  const api = fakeApi({ transmissions, analyticsPps });
  return renderPage(<TrustRow shown={shown} />, { api, url }).then((page) => ({
    ...page,
    transmissions,
    analyticsPps,
    shown,
  }));
};
const section = () => screen.getByRole('region', { name: 'What you can check' });

test('default: who signed the price, what went wrong and a receipt, each with its proof', async () => {
  const { analyticsPps, shown } = await open();
  const pricing = `/managed-vaults/devnet/${shown.vault.vault_address}/pricing?period=30d`;
  const signed = await within(section()).findByRole('link', {
    name: /^3 of 4 validators signed the price, stored 1 m .*ago$/,
  });
  expect(signed.getAttribute('href')).toBe(pricing);
  const quiet = await within(section()).findByRole('link', {
    name: /^No pause and no refused price over the last 30 days$/,
  });
  expect(quiet.getAttribute('href')).toBe(pricing);
  expect(within(section()).getByRole('button', { name: 'Receipt of the price that counts' })).toBeTruthy();
  // What the course of the price asks, so that nothing is asked twice.
  expect(analyticsPps.mock.calls[0]?.[0].query).toEqual({ period: '30d', points: '100' });
});

test('behavior: the last pause or refused price is named, with its transaction; a fee is none', async () => {
  const markers = [
    mark('check_failed', '2026-01-01T11:00:00Z'),
    mark('pause', '2026-01-01T12:00:00Z'),
    mark('skim', '2026-01-01T12:05:00Z'),
  ];
  await open({ analyticsPps: aPps(markers) });
  expect(await within(section()).findByRole('link', { name: /^Paused 10 m .*ago$/ })).toBeTruthy();
  expect(within(section()).getByRole('button', { name: 'Copy its transaction' })).toBeTruthy();
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
  await renderPage(<TrustRow shown={aShown()} />, { api: fakeApi({ transmissions: failing, analyticsPps: failing }) });
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
