import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { anOverview } from '../../test/analytics.ts';
import { anAddress, type aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aProof, aShown } from '../../test/operate.ts';
import { changeOf } from '../../test/prepared.ts';
import type { Api } from '../client/api.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { PausePage } from './pause-page.tsx';

type Options = {
  vault?: Parameters<typeof aVault>[0];
  parts?: Partial<Shown>;
  api?: Partial<Record<keyof Api, unknown>>;
  address?: string;
};
const open = ({ vault = {}, parts = {}, api = {}, address = anAddress(0x10) }: Options = {}) =>
  renderPage(<PausePage shown={aShown({ my_role: 'primary_manager', ...vault }, parts)} />, {
    api: fakeApi({ pauseProof: async () => aProof(), analyticsOverview: async () => anOverview(), ...api }),
    address,
  });
const suffix = anAddress(1).slice(-6);
const pauseButton = () => screen.getByRole('button', { name: 'Prepare pause' });
const type = (name: string | RegExp, text: string) => userEvent.type(screen.getByRole('textbox', { name }), text);

describe('pausing', () => {
  test('behavior: the button works once the end of the address is typed, and a reason is wanted', async () => {
    const preparePause = jest.fn(async (_: unknown) => changeOf('pause')[1][0]);
    await open({ api: { preparePause } });
    expect(pauseButton().hasAttribute('disabled')).toBe(true);
    await type(/last 6 characters/, 'ffffff');
    expect(pauseButton().hasAttribute('disabled')).toBe(true);
    await userEvent.clear(screen.getByRole('textbox', { name: /last 6 characters/ }));
    await type(/last 6 characters/, suffix.toLowerCase());
    await userEvent.click(pauseButton());
    expect(screen.getByText('The reason must be 1 to 280 characters.')).toBeTruthy();
    expect(preparePause).not.toHaveBeenCalled();
    await type('Reason', '  Feed looks wrong ');
    await userEvent.click(pauseButton());
    expect(await screen.findByText('Pauses the vault.')).toBeTruthy();
    expect(preparePause.mock.calls[0]?.[0]).toEqual({
      body: { vault_address: anAddress(1), chain_id: 31337, reason: 'Feed looks wrong' },
    });
    expect(screen.getByRole('button', { name: 'Sign and send' }).hasAttribute('disabled')).toBe(false);
  });

  test('behavior: a refusal leaves the reason that was typed', async () => {
    const refuse = async () => {
      throw Object.assign(new Error('no'), { status: 422, code: 'STRATEGY_ALREADY_PAUSED', detail: 'Paused before.' });
    };
    await open({ api: { preparePause: refuse } });
    await type('Reason', 'Feed looks wrong');
    await type(/last 6 characters/, suffix);
    await userEvent.click(pauseButton());
    expect(await screen.findByText('Paused before.')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Reason' }).value).toBe('Feed looks wrong');
  });

  test('behavior: a paused vault is released instead, and what that means is said', async () => {
    const paused = {
      is_paused: true,
      operational_state: 'paused' as const,
      pause: { reason: 'Feed looks wrong', since: '2026-01-01T00:00:00Z', actor: anAddress(0x11) },
    };
    const prepareUnpause = jest.fn(async (_: unknown) => changeOf('unpause')[1][0]);
    await open({ vault: paused, api: { prepareUnpause, pauseProof: async () => aProof({ call: 'unpauseStrategy' }) } });
    expect(screen.getByText('Feed looks wrong')).toBeTruthy();
    expect(screen.getByText(/stays stale until the next report/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Prepare pause' })).toBeNull();
    await type('Reason', 'Feed is back');
    await type(/last 6 characters/, suffix);
    await userEvent.click(screen.getByRole('button', { name: 'Prepare release' }));
    expect(await screen.findByText('Unpauses the vault.')).toBeTruthy();
  });

  test.each<['secondary_manager' | 'view_only', number]>([
    ['secondary_manager', 1],
    ['view_only', 0],
  ])('behavior: %s has %i form', async (my_role, count) => {
    await open({ vault: { my_role }, address: anAddress(0x12) });
    expect(screen.queryAllByRole('form')).toHaveLength(count);
    expect(screen.queryAllByRole('button', { name: 'Prepare pause' })).toHaveLength(count);
  });

  test('behavior: with a state that cannot be read nothing is prepared, and what was typed stays', async () => {
    const retry = jest.fn();
    const error = Object.assign(new Error('x'), { status: 503, detail: 'The chain is away.' });
    let fail: (parts: Partial<Shown>) => void = () => undefined;
    function Page() {
      const [parts, setParts] = useState<Partial<Shown>>({ retry });
      fail = setParts;
      return <PausePage shown={aShown({ my_role: 'primary_manager' }, parts)} />;
    }
    await renderPage(<Page />, {
      api: fakeApi({ pauseProof: async () => aProof(), analyticsOverview: async () => anOverview() }),
      address: anAddress(0x10),
    });
    await type('Reason', 'Feed looks wrong');
    await type(/last 6 characters/, suffix);
    act(() => fail({ retry, error }));
    expect(screen.getByText('The chain is away.')).toBeTruthy();
    expect(screen.getByText('Not before the state of the vault is read again.')).toBeTruthy();
    expect(pauseButton().hasAttribute('disabled')).toBe(true);
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Reason' }).value).toBe('Feed looks wrong');
    await userEvent.type(screen.getByRole('textbox', { name: 'Reason' }), '{enter}');
    expect(screen.queryByRole('dialog')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(retry).toHaveBeenCalled();
  });
});

describe('panic button', () => {
  test('default: verdict, age and each manager with the reason', async () => {
    await open();
    expect(await screen.findByText(/At least one manager could send the pause at block 99/)).toBeTruthy();
    expect(screen.getByText(/^Checked 1 m/)).toBeTruthy();
    const rows = within(screen.getByRole('table', { name: 'Trials' })).getAllByRole('row');
    expect(rows[2]?.textContent).toContain('The wallet cannot pay for the gas');
    expect(rows[1]?.textContent).toContain('0.00006 ETH');
    // The trial is up to an hour old: only what it alone knows is taken from it.
    expect(screen.getByText('$12.35M')).toBeTruthy();
    expect(screen.getByText('Shares waiting to be redeemed, at block 99')).toBeTruthy();
    expect(await screen.findByText('27')).toBeTruthy();
  });

  test('behavior: an old check warns, a failing one says so, and it can be checked now', async () => {
    const pauseProof = jest.fn(async ({ query }: { query: { refresh?: string } }) =>
      query.refresh === 'true' ? aProof() : aProof({ ok: false, is_stale: true }),
    );
    await open({ api: { pauseProof } });
    expect(await screen.findByText('Would fail')).toBeTruthy();
    expect(screen.getByText('Not checked lately')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Check now' }));
    await waitFor(() => expect(screen.queryByText('Would fail')).toBeNull());
    expect(screen.queryByText('Not checked lately')).toBeNull();
  });

  test('error: a check that cannot be read is no proof', async () => {
    const broken = async () => {
      throw Object.assign(new Error('no'), { status: 503, code: 'RPC_UNAVAILABLE', detail: 'The chain is away.' });
    };
    await open({ api: { pauseProof: broken } });
    expect(await screen.findByText('The last check could not be read')).toBeTruthy();
    expect(screen.queryByText(/could send the pause/)).toBeNull();
  });
});
