import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { anAddress, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { quietFault, quietWords } from '../alerts/quiet-hours-inputs.tsx';
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

const open = (answer: DutyAnswer, role: 'primary_manager' | 'view_only', setDuty: unknown = async () => answer) =>
  renderPage(<DutyPage shown={{ vault: aVault({ my_role: role }), chain: { explorer_url: null } } as Shown} />, {
    api: fakeApi({ duty: async () => answer, setDuty }),
  });

describe('who is on duty', () => {
  test('default: a viewer reads who it is, who is next and the weeks ahead, and changes nothing', async () => {
    await open(duty, 'view_only');
    expect((await screen.findByText('On duty now')).closest('div')?.textContent).toContain('Ada');
    expect(screen.getByText('Critical: after 15 minutes without an acknowledgement it goes to Bo.')).toBeTruthy();
    expect(screen.getByRole('table', { name: 'Weeks ahead' }).textContent).toContain('Stands in');
    expect(screen.queryByRole('button', { name: 'Change the rota' })).toBeNull();
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
      { api: fakeApi({ duty: async () => now, setDuty }) },
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
