import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { anAddress, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { hasUnsaved } from '../../test/unsaved.ts';
import { aBinding } from '../alerts/alerts.fixture.tsx';
import type { Binding } from '../alerts/queries.ts';
import { quietFault, quietWords } from '../alerts/quiet-hours-inputs.tsx';
import type { MyVault } from '../data/queries.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { DutyPage } from './duty-page.tsx';
import { type DutyAnswer, type Rota, rotaFault } from './rota-draft.ts';

const ada = { wallet_address: anAddress(0x61), name: 'Ada' };
const bo = { wallet_address: anAddress(0x62), name: 'Bo' };
const rota: Rota = {
  time_zone: 'Europe/Zurich',
  people: [ada, bo],
  starts_on: '2025-12-29',
  hand_over: '09:00',
  overrides: [],
  escalation: { after_minutes: 15, min_severity: 'critical' },
};
const duty: DutyAnswer = {
  rota,
  version: 3,
  updated_by: anAddress(0x61),
  updated_at: '2025-12-28T10:00:00.000Z',
  on_duty: ada,
  next: bo,
  shifts: [
    { from: '2025-12-29T08:00:00.000Z', to: '2026-01-05T08:00:00.000Z', person: ada, is_override: false },
    { from: '2026-01-02T08:00:00.000Z', to: '2026-01-03T08:00:00.000Z', person: bo, is_override: true },
  ],
};
const nobody: DutyAnswer = { ...duty, rota: null, version: 0, on_duty: null, next: null, shifts: [] };

const nightDesk = aBinding({ receives: 'escalations' });
const channelsOf =
  (...channels: Binding[]) =>
  async () => ({ channels });

const managing =
  (...vaults: MyVault[]) =>
  async () => ({ vaults, total: vaults.length });

const open = (answer: DutyAnswer, role: 'primary_manager' | 'view_only', setDuty: unknown = async () => answer) =>
  renderPage(<DutyPage shown={{ vault: aVault({ my_role: role }), chain: { explorer_url: null } } as Shown} />, {
    api: fakeApi({ duty: async () => answer, setDuty, vaultChannels: channelsOf(nightDesk), myVaults: managing() }),
  });

describe('who is on duty', () => {
  test('default: a viewer reads who it is, who is next and the weeks ahead, and changes nothing', async () => {
    await open(duty, 'view_only');
    expect((await screen.findByText('On duty now')).closest('div')?.textContent).toContain('Ada');
    expect(screen.getByText('Critical: after 15 minutes without an acknowledgement it goes to Bo.')).toBeTruthy();
    expect(screen.getByRole('table', { name: 'Weeks ahead' }).textContent).toContain('Stands in');
    expect(screen.queryByRole('button', { name: 'Change the rota' })).toBeNull();
  });

  test.each<[string, string | undefined, Binding[], Partial<Rota>]>([
    ['nothing where one is for escalations', undefined, [nightDesk], {}],
    [
      'that none is for escalations',
      'An escalation goes to the channels that got the alert before it.',
      [aBinding()],
      {},
    ],
    [
      'that one for escalations is switched off',
      'No channel of this vault is at work',
      [aBinding({ ...nightDesk, state: 'inactive' })],
      {},
    ],
    ['nothing where nothing is escalated', undefined, [], { escalation: null }],
  ])('behavior: of the channels it says %s', async (_, warning, channels, parts) => {
    const { queries } = await renderPage(
      <DutyPage shown={{ vault: aVault(), chain: { explorer_url: null } } as Shown} />,
      {
        api: fakeApi({
          duty: async () => ({ ...duty, rota: { ...rota, ...parts } }),
          vaultChannels: channelsOf(...channels),
        }),
      },
    );
    await screen.findByRole('table', { name: 'Weeks ahead' });
    await waitFor(() => expect(queries.isFetching()).toBe(0));
    const notice = screen.queryByText('No channel receives escalations')?.closest('[role]');
    expect(notice?.textContent?.includes(warning ?? '')).toBe(warning === undefined ? undefined : true);
  });

  test('behavior: without a rota it is the messages that are said to name somebody, as they do', async () => {
    await open(nobody, 'view_only');
    expect(await screen.findByText(/^With a rota each message about an alert names who is on duty/)).toBeTruthy();
  });

  test('behavior: a manager sets up a rota; what is missing is said before anything is sent', async () => {
    const user = userEvent.setup();
    const setDuty = jest.fn(async () => duty);
    await open(nobody, 'primary_manager', setDuty);
    await user.click(await screen.findByRole('button', { name: 'Set up a rota' }));
    await user.type(screen.getByLabelText('Name 1'), 'Ada');
    await user.click(screen.getByRole('button', { name: 'Save the rota' }));
    expect(screen.getByRole('alert').textContent).toContain('Person 1 needs an address');
    await user.type(screen.getByLabelText('Address 1'), ada.wallet_address);
    await user.click(screen.getByRole('button', { name: 'Save the rota' }));
    expect(setDuty.mock.calls[0]).toMatchObject([{ body: { version: 0, rota: { people: [ada], overrides: [] } } }]);
  });

  test('behavior: what is typed stays when somebody else sets the rota, and goes on top of theirs once that is decided', async () => {
    const user = userEvent.setup();
    let now = duty;
    const setDuty = jest.fn(async (_: unknown) => now);
    const { queries } = await renderPage(
      <DutyPage shown={{ vault: aVault({ my_role: 'primary_manager' }), chain: { explorer_url: null } } as Shown} />,
      { api: fakeApi({ duty: async () => now, setDuty, vaultChannels: channelsOf(nightDesk), myVaults: managing() }) },
    );
    await user.click(await screen.findByRole('button', { name: 'Change the rota' }));
    await user.type(screen.getByLabelText('Name 1'), ' L');
    now = { ...duty, version: 4, rota: { ...rota, hand_over: '17:00' } };
    await act(() => queries.invalidateQueries());
    expect(await screen.findByText('Somebody else changed the rota meanwhile')).toBeTruthy();
    expect(screen.getByText('Theirs: Ada, Bo; hand-over at 17:00, Europe/Zurich.')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('Name 1').value).toBe('Ada L');
    expect(screen.getByRole('button', { name: 'Save the rota' }).hasAttribute('disabled')).toBe(true);
    await user.click(screen.getByRole('button', { name: 'Keep what I typed, on top of theirs' }));
    await user.click(screen.getByRole('button', { name: 'Save the rota' }));
    expect(setDuty.mock.calls).toMatchObject([
      [{ body: { version: 4, rota: { hand_over: '17:00', people: [{ ...ada, name: 'Ada L' }, bo] } } }],
    ]);
  });

  const form = () => ({
    field: (name: string | RegExp, index = 0) => screen.getAllByLabelText<HTMLInputElement>(name)[index] as HTMLElement,
    person: (number: number) =>
      screen.getByLabelText<HTMLSelectElement>(`Person of override ${number}`).selectedOptions[0]?.textContent,
  });
  const times = { from: '2026-01-02T00:00:00.000Z', to: '2026-01-03T00:00:00.000Z' };

  test('behavior: who stands in stays the same person while their address is typed', async () => {
    const user = userEvent.setup();
    const setDuty = jest.fn(async (_: unknown) => duty);
    await open(nobody, 'primary_manager', setDuty);
    await user.click(await screen.findByRole('button', { name: 'Set up a rota' }));
    const { field, person } = form();
    await user.click(screen.getByRole('button', { name: 'Add an override' }));
    await user.click(screen.getByRole('button', { name: 'Add a person' }));
    await user.type(field('Name 1'), 'Ada');
    await user.type(field('Name 2'), 'Bo');
    // The second has the address of the first for a moment, and is not taken for them.
    await user.type(field('Address 1'), ada.wallet_address);
    await user.type(field('Address 2'), ada.wallet_address);
    await user.clear(field('Address 2'));
    await user.type(field('Address 2'), bo.wallet_address);
    fireEvent.change(field('From (UTC)'), { target: { value: '2026-01-02T00:00' } });
    fireEvent.change(field('To (UTC)'), { target: { value: '2026-01-03T00:00' } });
    expect(person(1)).toBe('Ada');
    await user.click(screen.getByRole('button', { name: 'Save the rota' }));
    const overrides = [{ ...times, wallet_address: ada.wallet_address }];
    expect(setDuty.mock.calls).toMatchObject([[{ body: { rota: { people: [ada, bo], overrides } } }]]);
  });

  test('behavior: a corrected address goes along, and whose person was removed has to be chosen', async () => {
    const user = userEvent.setup();
    const setDuty = jest.fn(async (_: unknown) => duty);
    const overrides = [bo, ada].map(({ wallet_address }) => ({ ...times, wallet_address }));
    await open({ ...duty, rota: { ...rota, overrides } }, 'primary_manager', setDuty);
    await user.click(await screen.findByRole('button', { name: 'Change the rota' }));
    const { field, person } = form();
    const right = anAddress(0x63);
    await user.clear(field('Address 2'));
    await user.type(field('Address 2'), right);
    await user.click(screen.getByRole('button', { name: 'Remove person 1' }));
    await user.click(screen.getByRole('button', { name: 'Add a person' }));
    await user.type(field('Name 2'), 'Cy');
    await user.type(field('Address 2'), anAddress(0x64));
    expect([person(1), person(2)]).toEqual(['Bo', 'Choose one']);
    await user.click(screen.getByRole('button', { name: 'Save the rota' }));
    expect(screen.getByRole('alert').textContent).toBe('Choose the person of override 2: one of the people above.');
    await user.selectOptions(screen.getByLabelText('Person of override 2'), 'Cy');
    await user.click(screen.getByRole('button', { name: 'Save the rota' }));
    const sent = [right, anAddress(0x64)].map((wallet_address) => ({ ...times, wallet_address }));
    expect(setDuty.mock.calls).toMatchObject([[{ body: { rota: { overrides: sent } } }]]);
  });

  test('behavior: a rota is taken away once that was confirmed', async () => {
    const user = userEvent.setup();
    const setDuty = jest.fn(async (_: unknown) => nobody);
    await open(duty, 'primary_manager', setDuty);
    await user.click(await screen.findByRole('button', { name: 'Change the rota' }));
    await user.click(screen.getByRole('button', { name: 'Take the rota away' }));
    expect(document.activeElement?.textContent).toBe('Keep it');
    await user.click(screen.getByRole('button', { name: 'Keep it' }));
    expect(document.activeElement?.textContent).toBe('Take the rota away');
    expect(setDuty).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Take the rota away' }));
    await user.click(screen.getByRole('button', { name: 'Take it away: nobody is on duty then' }));
    expect(setDuty.mock.calls).toMatchObject([[{ body: { version: 3, rota: null } }]]);
  });

  test('behavior: a rota that is typed and not saved is not left without a question', async () => {
    const user = userEvent.setup();
    await open(duty, 'primary_manager', async () => duty);
    await user.click(await screen.findByRole('button', { name: 'Change the rota' }));
    expect(hasUnsaved()).toBe(false);
    await user.type(screen.getByLabelText('Name 1'), ' L');
    expect(hasUnsaved()).toBe(true);
    await user.click(screen.getByRole('button', { name: 'Save the rota' }));
    await screen.findByRole('button', { name: 'Change the rota' });
    expect(hasUnsaved()).toBe(false);
  });

  test.each<[Partial<Rota>, RegExp]>([
    [{ people: [ada, ada] }, /once/],
    [{ time_zone: 'Zurich' }, /time zone/],
    [{ overrides: [{ from: '', to: '', wallet_address: anAddress(0x61) }] }, /beginning and an end/],
    [
      { overrides: [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z', wallet_address: anAddress(0x61) }] },
      /end after/,
    ],
    [{ escalation: { after_minutes: 0, min_severity: 'info' } }, /minutes/],
  ])('error: %j is not sent', (parts, reason) => {
    expect(rotaFault({ ...rota, ...parts })).toMatch(reason);
    expect(rotaFault(rota)).toBeUndefined();
  });

  test('behavior: quiet hours say when, where, and what comes all the same', () => {
    const night = { time_zone: 'Europe/Zurich', from: '22:00', to: '07:00', breaks_through: 'critical' as const };
    expect(quietWords(night)).toBe('Quiet 22:00 to 07:00, Europe/Zurich; critical at once');
    expect([quietFault(night), quietFault({ ...night, to: '22:00' })]).toEqual([
      undefined,
      'The end must differ from the beginning',
    ]);
  });
});
