import '../../test/browser.ts';
import type { VaultSettings } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aSettings, aShown } from '../../test/operate.ts';
import { changeOf } from '../../test/prepared.ts';
import type { Api } from '../client/api.ts';
import { SettingsPage } from './settings-page.tsx';
import type { Role } from './use-settings.ts';

const wallets: Record<Role, string> = {
  primary_manager: anAddress(0x10),
  secondary_manager: anAddress(0x11),
  view_only: anAddress(0x12),
};
const refusal = Object.assign(new Error('no'), { status: 422, code: 'NO_PROPOSAL', detail: 'Nothing is proposed.' });
const refuse = () =>
  jest.fn(async (_: unknown) => {
    throw refusal;
  });

type Options = {
  role?: Role;
  settings?: VaultSettings;
  api?: Partial<Record<keyof Api, unknown>>;
  vault?: Parameters<typeof aVault>[0];
  url?: string;
};
async function open({
  role = 'primary_manager',
  settings = aSettings(),
  api = {},
  vault = {},
  url = '/',
}: Options = {}) {
  const vaultSettings = jest.fn(async () => settings);
  const page = await renderPage(<SettingsPage shown={aShown({ my_role: role, ...vault })} />, {
    api: fakeApi({ vaultSettings, ...api }),
    address: wallets[role],
    url,
  });
  await screen.findByRole('heading', { name: 'Fees' });
  return { ...page, vaultSettings };
}
const forms = () => screen.queryAllByRole('form').map((form) => form.getAttribute('aria-label'));
const form = (name: string) => within(screen.getByRole('form', { name }));
const retype = async (field: HTMLElement, text: string) => {
  await userEvent.clear(field);
  await userEvent.type(field, text);
};

describe('who sees what', () => {
  const pending = {
    performance_fee_bps: 2000,
    management_fee_bps: 10,
    recipient: anAddress(5),
    effective_at: '2025-12-31T00:00:00Z',
    can_execute: true,
  };
  const waiting = aSettings({
    fees: { pending },
    upkeep: { pending_withdrawal: { amount: '5', effective_at: '2025-12-31T00:00:00Z', can_execute: true } },
  });

  test('default: the primary manager has every form', async () => {
    await open({ settings: waiting });
    expect(forms()).toEqual([
      'Propose fees',
      'Set the deviation guard',
      'Propose an expiration',
      'Propose an interval',
      'Deposit upkeep',
    ]);
    expect(screen.getAllByRole('button', { name: 'Execute' })).toHaveLength(2);
  });

  test('behavior: a secondary manager pays upkeep, skims and executes a withdrawal, nothing else', async () => {
    await open({ role: 'secondary_manager', settings: waiting });
    expect(forms()).toEqual(['Deposit upkeep']);
    expect(screen.getAllByRole('button', { name: 'Execute' })).toHaveLength(1);
    expect(screen.getByRole('button', { name: 'Prepare skim' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Propose to withdraw/ })).toBeNull();
  });

  test('behavior: view only sees the values and no button that changes any', async () => {
    await open({ role: 'view_only', settings: waiting });
    expect(forms()).toEqual([]);
    expect(screen.queryAllByRole('button', { name: /Execute|Prepare|Propose|Max/ })).toEqual([]);
    expect(screen.getByText('15.00%')).toBeTruthy();
    expect(screen.getByText('12.5 UP')).toBeTruthy();
  });

  test.each<[Role, string]>([
    ['primary_manager', 'Deposit upkeep above to activate it.'],
    ['secondary_manager', 'Deposit upkeep above to activate it.'],
    ['view_only', 'It becomes active once upkeep is deposited.'],
  ])('behavior: %s of a vault without upkeep reads: %s', async (role, words) => {
    const activation = {
      is_active: false,
      is_discoverable: false,
      status: 'insufficient_upkeep' as const,
      reason: null,
    };
    await open({ role, settings: aSettings({ upkeep: { activation } }) });
    expect(screen.getByText(words)).toBeTruthy();
    expect(forms().includes('Deposit upkeep')).toBe(role !== 'view_only');
  });

  test('behavior: a proposal that waits cannot be executed before its time', async () => {
    await open({
      settings: aSettings({
        fees: { pending: { ...pending, effective_at: '2026-01-02T00:00:00Z', can_execute: false } },
      }),
    });
    expect(screen.getByRole('button', { name: 'Execute' }).hasAttribute('disabled')).toBe(true);
    expect(screen.getByText(/^In (1 d|23 h)/)).toBeTruthy();
  });
});

describe('fees', () => {
  test('behavior: fees that do not change are not proposed, and the form says that a proposal stays', async () => {
    const prepareProposeFees = refuse();
    await open({ api: { prepareProposeFees } });
    const fields = form('Propose fees');
    expect(fields.getByText(/^A proposal cannot be cancelled/)).toBeTruthy();
    await userEvent.click(fields.getByRole('button', { name: 'Prepare proposal' }));
    expect(fields.getByText('These fees are in force already.')).toBeTruthy();
    expect(prepareProposeFees).not.toHaveBeenCalled();
  });

  test('behavior: what is typed is checked before anything is prepared, and sent in basis points', async () => {
    const prepareProposeFees = refuse();
    await open({ api: { prepareProposeFees } });
    const fields = form('Propose fees');
    await retype(fields.getByRole('textbox', { name: 'Performance fee, %' }), '51.01');
    await retype(fields.getByRole('textbox', { name: 'Fee recipient' }), '0x12');
    await userEvent.click(fields.getByRole('button', { name: 'Prepare proposal' }));
    expect(fields.getByText('At most 51.00%.')).toBeTruthy();
    expect(fields.getByText(/40 hexadecimal digits/)).toBeTruthy();
    expect(prepareProposeFees).not.toHaveBeenCalled();

    await retype(fields.getByRole('textbox', { name: 'Performance fee, %' }), '12.5');
    await retype(fields.getByRole('textbox', { name: 'Fee recipient' }), anAddress(6));
    await userEvent.click(fields.getByRole('button', { name: 'Prepare proposal' }));
    await waitFor(() => expect(prepareProposeFees).toHaveBeenCalledTimes(1));
    expect(prepareProposeFees.mock.calls[0]?.[0]).toEqual({
      body: {
        vault_address: anAddress(1),
        chain_id: 31337,
        performance_fee_bps: 1250,
        management_fee_bps: 10,
        recipient: anAddress(6),
      },
    });
  });

  test('behavior: a refusal is named, and what was typed is still there afterwards', async () => {
    await open({ api: { prepareProposeFees: refuse() } });
    const fields = form('Propose fees');
    await retype(fields.getByRole('textbox', { name: 'Performance fee, %' }), '12.5');
    await userEvent.click(fields.getByRole('button', { name: 'Prepare proposal' }));
    expect(await screen.findByText('Nothing is proposed.')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Performance fee, %' });
    expect(field.value).toBe('12.5');
  });

  test('behavior: a fee that cannot be skimmed says why and when', async () => {
    const due = { ...aVault().pending_performance_fee, reason: 'cool_down', can_skim_at: '2026-01-01T12:00:00Z' };
    await open({ vault: { pending_performance_fee: due } });
    expect(screen.getByText(/unpaused a short time ago. Possible from 1 Jan 2026, 12:00 UTC/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Prepare skim' }).hasAttribute('disabled')).toBe(true);
  });
});

describe('prices', () => {
  test('behavior: the guard switched off is asked for as none, and set in basis points', async () => {
    const prepareDeviationThreshold = refuse();
    await open({ api: { prepareDeviationThreshold } });
    const fields = form('Set the deviation guard');
    await retype(fields.getByRole('textbox', { name: 'Largest jump, %' }), '0.75');
    await userEvent.click(fields.getByRole('button', { name: 'Prepare change' }));
    await waitFor(() => expect(prepareDeviationThreshold).toHaveBeenCalledTimes(1));
    expect(prepareDeviationThreshold.mock.calls[0]?.[0]).toMatchObject({ body: { deviation_threshold_bps: 75 } });
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Guard is on' }));
    expect(screen.getByText(/a wrong price is accepted, however far it jumps/)).toBeTruthy();
    await userEvent.click(form('Set the deviation guard').getByRole('button', { name: 'Prepare change' }));
    await waitFor(() => expect(prepareDeviationThreshold).toHaveBeenCalledTimes(2));
    expect(prepareDeviationThreshold.mock.calls[1]?.[0]).toMatchObject({ body: { deviation_threshold_bps: null } });
  });

  test('behavior: durations outside what the chain takes are refused beside the field', async () => {
    const prepareProposeExpiration = refuse();
    await open({ api: { prepareProposeExpiration } });
    const fields = form('Propose an expiration');
    await retype(fields.getByRole('textbox', { name: 'New expiration' }), '8');
    await userEvent.click(fields.getByRole('button', { name: 'Prepare proposal' }));
    expect(fields.getByText('Between 1 m and 7 d.')).toBeTruthy();
    await userEvent.selectOptions(fields.getByRole('combobox', { name: 'Unit' }), 'hours');
    await userEvent.click(fields.getByRole('button', { name: 'Prepare proposal' }));
    await waitFor(() => expect(prepareProposeExpiration).toHaveBeenCalledTimes(1));
    expect(prepareProposeExpiration.mock.calls[0]?.[0]).toMatchObject({ body: { expiration_seconds: 28_800 } });
  });

  test('behavior: a proposal is cancelled by its own call', async () => {
    const [, steps] = changeOf('cancel_expiration');
    const pending_expiration = { expiration_seconds: 3_600, effective_at: '2026-01-02T00:00:00Z', can_execute: false };
    await open({
      settings: aSettings({ pps: { pending_expiration } }),
      api: { prepareCancelExpiration: async () => steps[0] },
    });
    await userEvent.click(screen.getByRole('button', { name: 'Cancel the proposal' }));
    expect(await screen.findByText('Cancels the proposed expiration of prices.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Sign and send' }).hasAttribute('disabled')).toBe(false);
  });
});

describe('upkeep', () => {
  test('behavior: the whole balance goes in to the last base unit; two signatures are announced', async () => {
    const prepareDepositUpkeep = refuse();
    await open({ api: { prepareDepositUpkeep } });
    const fields = form('Deposit upkeep');
    await userEvent.click(fields.getByRole('button', { name: 'Max, the whole balance of the wallet' }));
    expect(fields.getByText(/Two signatures/)).toBeTruthy();
    await userEvent.click(fields.getByRole('button', { name: 'Prepare deposit' }));
    await waitFor(() => expect(prepareDepositUpkeep).toHaveBeenCalledTimes(1));
    expect(prepareDepositUpkeep.mock.calls[0]?.[0]).toMatchObject({ body: { amount: '40500000000000000001' } });
  });

  test('behavior: a year is approved where that is asked for, which is offered for what is not approved yet', async () => {
    const prepareDepositUpkeep = refuse();
    await open({ api: { prepareDepositUpkeep } });
    const fields = form('Deposit upkeep');
    expect(fields.queryByRole('checkbox')).toBeNull();
    await userEvent.type(fields.getByRole('textbox', { name: 'Amount, UP' }), '7');
    await userEvent.click(fields.getByRole('checkbox', { name: /^Approve 457 UP, a year at the cost of a day now/ }));
    await userEvent.click(fields.getByRole('button', { name: 'Prepare deposit' }));
    await waitFor(() => expect(prepareDepositUpkeep).toHaveBeenCalledTimes(1));
    expect(prepareDepositUpkeep.mock.calls[0]?.[0]).toMatchObject({
      body: { amount: '7000000000000000000', allowance: '457000000000000000000' },
    });
  });

  test('behavior: who was led here to top up types at once', async () => {
    await open({ url: '/#deposit-upkeep' });
    const amount = form('Deposit upkeep').getByRole('textbox', { name: 'Amount, UP' });
    await waitFor(() => expect(document.activeElement).toBe(amount));
  });

  test('behavior: days are turned into an amount at the cost of a day', async () => {
    await open();
    const fields = form('Deposit upkeep');
    await retype(fields.getByRole('textbox', { name: 'Days to cover' }), '7');
    await userEvent.click(fields.getByRole('button', { name: 'Use 8.75 UP for 7 days' }));
    expect(fields.getByRole<HTMLInputElement>('textbox', { name: 'Amount, UP' }).value).toBe('8.75');
  });

  test('behavior: how long it lasts is at the last 24 hours, the worst case beside it; the offer is rounded up', async () => {
    await open({ settings: aSettings({ upkeep: { cost_per_day: '1250415000000000000', cost_basis: 'heartbeat' } }) });
    const fields = form('Deposit upkeep');
    expect(screen.getByText('10 days, at the pace of the last 24 hours')).toBeTruthy();
    expect(screen.getByText('2 days')).toBeTruthy();
    expect(screen.getByText('1.2504 UP, at the heartbeat of the validators')).toBeTruthy();
    await userEvent.click(fields.getByRole('button', { name: 'Use 37.6 UP for 30 days' }));
    expect(fields.getByRole<HTMLInputElement>('textbox', { name: 'Amount, UP' }).value).toBe('37.6');
  });

  test('behavior: more than the wallet has is refused before anything is prepared', async () => {
    const prepareDepositUpkeep = refuse();
    await open({ api: { prepareDepositUpkeep } });
    const fields = form('Deposit upkeep');
    await userEvent.type(fields.getByRole('textbox', { name: 'Amount, UP' }), '40.500000000000000002{enter}');
    expect(fields.getByText('Your wallet has 40.500000000000000001 UP.')).toBeTruthy();
    expect(prepareDepositUpkeep).not.toHaveBeenCalled();
  });

  test('behavior: a link to the panel puts the focus on it', async () => {
    await open({ url: '/?panel=upkeep' });
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Upkeep'));
  });
});

test('error: settings that cannot be read are said so, without a form', async () => {
  const broken = async () => {
    throw Object.assign(new Error('no'), { status: 503, code: 'RPC_UNAVAILABLE', detail: 'The chain is away.' });
  };
  await renderPage(<SettingsPage shown={aShown({ my_role: 'primary_manager' })} />, {
    api: fakeApi({ vaultSettings: broken }),
    address: anAddress(0x10),
  });
  expect(await screen.findByText('The chain is away.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
  expect(forms()).toEqual([]);
});
