import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { hasUnsaved } from '../../test/unsaved.ts';
import { open, rule, self, settings, vault } from './alerts.fixture.tsx';

test('behavior: a threshold is tried on the history before it is saved, with the version that was read', async () => {
  const backtestAlertRule = jest.fn(async (_input: unknown) => ({
    rule_id: rule.rule_id,
    from: '2026-01-01T00:00:00Z',
    to: '2026-04-01T00:00:00Z',
    settings,
    fired: 3,
    notified: 2,
    open_seconds: 7200,
    longest_seconds: 3600,
    episodes: [],
    truncated: false,
    facts: 10,
    history_since: null,
  }));
  const setAlertRule = jest.fn(async (_input: unknown) => ({ ...rule, version: 4 }));
  await open({ backtestAlertRule, setAlertRule });
  const field = await screen.findByRole('textbox', { name: 'Most that may wait' });
  await userEvent.clear(field);
  await userEvent.type(field, '5');
  await userEvent.click(screen.getByRole('button', { name: 'Try on 90 days: High redemption queue' }));
  expect(await screen.findByText(/It would have fired 3 times/)).toBeTruthy();
  const on = { chain_id: vault.chain_id, vault_address: vault.vault_address };
  const thresholds = { pending_requests: 5 };
  expect(backtestAlertRule).toHaveBeenCalledWith({
    params: { rule_id: 'redemption_queue' },
    body: { ...on, settings: { thresholds } },
  });
  await userEvent.click(screen.getByRole('button', { name: 'Save High redemption queue' }));
  expect(setAlertRule).toHaveBeenCalledWith({
    params: { rule_id: 'redemption_queue' },
    body: { ...on, version: 3, thresholds },
  });
});

test('behavior: what is typed over a rule stays when somebody else sets it, and changes nothing of theirs', async () => {
  let now = rule;
  const setAlertRule = jest.fn(async (_input: unknown) => ({ ...rule, version: 5 }));
  const { queries } = await open({ setAlertRule, alertRules: async () => ({ rules: [now] }) });
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Most that may wait' });
  await userEvent.clear(field);
  await userEvent.type(field, '5');
  now = { ...rule, version: 4, settings: { ...settings, owner: 'Night desk' } };
  await act(() => queries.invalidateQueries());
  expect(await screen.findByText('Somebody else changed the rule High redemption queue meanwhile')).toBeTruthy();
  expect(field.value).toBe('5');
  expect(screen.getByRole('button', { name: 'Save High redemption queue' }).hasAttribute('disabled')).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Keep what I typed, on top of theirs' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save High redemption queue' }));
  expect(setAlertRule.mock.calls).toMatchObject([[{ body: { version: 4, thresholds: { pending_requests: 5 } } }]]);
  expect(setAlertRule.mock.calls[0]?.[0]).not.toHaveProperty('body.owner');
});

test('behavior: the owner and the delays of a rule are shown and set; what cannot be is refused before it is sent', async () => {
  const setAlertRule = jest.fn(async (_input: unknown) => ({ ...rule, version: 4 }));
  const inhibited_by = [{ rule_id: 'vault_paused' as const, effect: 'mute' as const, reason: 'While it is paused.' }];
  const shown = { ...rule, inhibited_by, updated_by: self, updated_at: '2026-01-01T00:00:00Z' };
  await open({ setAlertRule, alertRules: async () => ({ rules: [shown] }) });
  const list = await screen.findByRole('list', { name: 'Rules' });
  expect(within(list).getByText('Warning')).toBeTruthy();
  expect(list.textContent).toContain('Muted: While it is paused.');
  expect(list.textContent).toMatch(new RegExp(`Set .* by .*${self}`));
  expect(
    within(list)
      .getByRole('link', { name: /^Runbook/ })
      .getAttribute('href'),
  ).toBe('/runbooks/alerts.html#redemption_queue');
  const fill = async (name: string, text: string) => {
    const field = within(list).getByRole('textbox', { name });
    await userEvent.clear(field);
    await userEvent.type(field, text);
  };
  await fill('Opens after (seconds)', '90000');
  expect(within(list).getByText('Whole seconds, a day at most')).toBeTruthy();
  expect(within(list).getByRole('button', { name: /^Save/ }).hasAttribute('disabled')).toBe(true);
  await fill('Opens after (seconds)', '120');
  await fill('Resolves after (seconds)', '0');
  await fill('Owner', ' Night desk ');
  await userEvent.click(within(list).getByRole('button', { name: /^Save/ }));
  expect(setAlertRule).toHaveBeenCalledWith({
    params: { rule_id: 'redemption_queue' },
    body: {
      chain_id: vault.chain_id,
      vault_address: vault.vault_address,
      version: 3,
      for_seconds: 120,
      clear_seconds: 0,
      owner: 'Night desk',
    },
  });
});

const on = { chain_id: vault.chain_id, vault_address: vault.vault_address };
const refill = async (name: string, text: string) => {
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name });
  await userEvent.clear(field);
  await userEvent.type(field, text);
  return field;
};

test('behavior: thresholds are read and typed in units of people and saved in those of the rule', async () => {
  const setAlertRule = jest.fn(async (_input: unknown) => ({ ...rule, version: 4 }));
  const thresholds = { success_rate: 0.95, min_attempts: 5, balance_wei: 5e16, oldest_seconds: 259_200 };
  const shown = { ...rule, settings: { ...settings, thresholds } };
  await open({ setAlertRule, alertRules: async () => ({ rules: [shown] }) });
  const shownIn = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name }).value;
  await screen.findByRole('textbox', { name: 'Lowest success rate (%)' });
  expect(shownIn('Lowest success rate (%)')).toBe('95');
  expect(shownIn('Fewest attempts to judge by')).toBe('5');
  expect(shownIn('Lowest balance (ETH)')).toBe('0.05');
  expect(shownIn('Longest wait (days)')).toBe('3');
  expect(screen.queryByRole('button', { name: /^Save/ })).toBeNull();
  await refill('Lowest success rate (%)', '99.5');
  await refill('Lowest balance (ETH)', '0.1');
  await refill('Longest wait (days)', '1.5');
  await userEvent.click(screen.getByRole('button', { name: /^Save/ }));
  const set = { success_rate: 0.995, min_attempts: 5, balance_wei: 1e17, oldest_seconds: 129_600 };
  expect(setAlertRule).toHaveBeenCalledWith({
    params: { rule_id: 'redemption_queue' },
    body: { ...on, version: 3, thresholds: set },
  });
});

test('error: a percentage above 100 is refused before it is sent', async () => {
  const thresholds = { remaining_share: 0.5 };
  await open({ alertRules: async () => ({ rules: [{ ...rule, settings: { ...settings, thresholds } }] }) });
  await refill('Time left until expiry (%)', '101');
  expect(screen.getByText('A number, 0 to 100')).toBeTruthy();
  expect(screen.getByRole('button', { name: /^Save/ }).hasAttribute('disabled')).toBe(true);
  expect(screen.getByRole('button', { name: /^Try on 90 days/ }).hasAttribute('disabled')).toBe(true);
  await refill('Time left until expiry (%)', '100');
  expect(screen.getByRole('button', { name: /^Save/ }).hasAttribute('disabled')).toBe(false);
});

describe('what is typed over rules and not saved', () => {
  const two = async () => ({
    vaults: [vault, { ...vault, vault_address: anAddress(2), name: 'Growth' }].map((each) => ({
      ...each,
      my_role: 'primary_manager',
    })),
    total: 2,
    has_more: false,
    next_cursor: null,
  });
  const choice = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Vault' });

  test('behavior: another vault asks before it takes the forms of this one away', async () => {
    await open({ myVaults: two });
    await refill('Owner', 'Night desk');
    expect(hasUnsaved()).toBe(true);
    await userEvent.selectOptions(choice(), 'Growth');
    const dialog = await screen.findByRole('dialog', { name: 'Leave without saving?' });
    expect(dialog.textContent).toContain('the rule High redemption queue');
    await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Owner' }).value).toBe('Night desk');
    await userEvent.selectOptions(choice(), 'Growth');
    await userEvent.click(await screen.findByRole('button', { name: 'Leave and lose it' }));
    await waitFor(() => expect(choice().selectedOptions[0]?.textContent).toBe('Growth'));
    expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Owner' })).value).toBe('Desk');
  });

  test('behavior: where nothing is typed the other vault is shown at once', async () => {
    await open({ myVaults: two });
    await screen.findByRole('textbox', { name: 'Owner' });
    await userEvent.selectOptions(choice(), 'Growth');
    expect(choice().selectedOptions[0]?.textContent).toBe('Growth');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('behavior: who may not save loses nothing', async () => {
    await open({}, 'view_only');
    await screen.findByRole('textbox', { name: 'Owner' });
    expect(hasUnsaved()).toBe(false);
  });
});
