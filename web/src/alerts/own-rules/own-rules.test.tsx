import '../../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { hasUnsaved } from '../../../test/unsaved.ts';
import { aBinding, anOwnRule, channel, open, ownRules, vault } from '../alerts.fixture.tsx';

const params = { chain_id: String(vault.chain_id), vault_address: vault.vault_address };
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const fill = async (name: string, text: string) => {
  const field = await screen.findByRole('textbox', { name });
  await userEvent.clear(field);
  await userEvent.type(field, text);
};

test('default: a closed row says when its rule opens, with the unit; own ones are marked', async () => {
  await open({
    ownAlertRules: async () => ownRules(anOwnRule(), anOwnRule({ rule_id: 'own_b', title: 'Other', enabled: false })),
  });
  const own = await screen.findByRole('list', { name: 'Own rules' });
  const [first, second] = within(own).getAllByRole('listitem');
  expect(first?.querySelector('summary')?.textContent).toBe(
    'Value too lowCriticalOwnValue of the vault below 1,000.5 USDC, for 5 m',
  );
  expect(second?.querySelector('summary')?.textContent).toContain('OwnOff');
  const builtIn = within(await screen.findByRole('list', { name: 'Rules' })).getByRole('listitem');
  expect(builtIn.querySelector('summary')?.textContent).toBe(
    'High redemption queueWarningMore than 10 requests waiting, for 1 m',
  );
});

test('behavior: a rule is made of what is typed, in the unit of its figure', async () => {
  const createOwnAlertRule = jest.fn(async (_input: unknown) => anOwnRule());
  await open({ createOwnAlertRule });
  await press('New rule');
  expect(screen.getByRole('button', { name: 'Save the new rule' }).hasAttribute('disabled')).toBe(true);
  await fill('Title', ' APY jumps ');
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Figure' }), 'APY over 7 days');
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Comparison' }), 'changes by more than');
  await fill('Threshold (%)', '-2');
  expect(screen.getByText('A number, 0 or more: a change counts in either direction')).toBeTruthy();
  await fill('Threshold (%)', '2');
  await fill('Within (hours)', '6');
  await fill('Text', 'Look at the sources.');
  await press('Save the new rule');
  expect(createOwnAlertRule).toHaveBeenCalledWith({
    params,
    body: {
      rule: {
        title: 'APY jumps',
        text: 'Look at the sources.',
        metric: 'apy_7d',
        comparison: 'changes',
        threshold: 0.02,
        within_seconds: 21_600,
        severity: 'warning',
        enabled: true,
        for_seconds: 0,
        clear_seconds: 300,
        owner: 'Primary manager',
        channels: null,
      },
    },
  });
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Save the new rule' })).toBeNull());
});

test('behavior: a change is sent with the version that was read, the threshold as it was where nobody typed over it', async () => {
  const changeOwnAlertRule = jest.fn(async (_input: unknown) => anOwnRule({ version: 3 }));
  const channels = [
    aBinding(),
    aBinding({ channel: { ...channel, channel_id: 'ch_2', name: 'Slack desk', provider: 'slack' } }),
  ];
  await open({
    changeOwnAlertRule,
    ownAlertRules: async () => ownRules(anOwnRule()),
    vaultChannels: async () => ({ channels }),
  });
  await fill('Title', 'Far too low');
  await userEvent.click(await screen.findByRole('switch', { name: 'To every channel of the vault' }));
  expect(screen.getByText('Choose one at least, or send it to all')).toBeTruthy();
  expect(screen.getByRole('switch', { name: 'Desk hook (gets every event)' }).hasAttribute('disabled')).toBe(true);
  await userEvent.click(screen.getByRole('switch', { name: 'Slack desk' }));
  await press('Save Value too low');
  const [call] = changeOwnAlertRule.mock.calls as unknown as [
    [{ params: object; body: { version: number; rule: object } }],
  ];
  expect(call[0].params).toEqual({ ...params, rule_id: anOwnRule().rule_id });
  expect(call[0].body).toMatchObject({
    version: 2,
    rule: { title: 'Far too low', threshold: '1000500000', channels: ['ch_2'], enabled: true },
  });
});

test('behavior: what is typed over a rule stays when somebody else changes it', async () => {
  let now = anOwnRule();
  const changeOwnAlertRule = jest.fn(async (_input: unknown) => anOwnRule({ version: 4 }));
  const { queries } = await open({ changeOwnAlertRule, ownAlertRules: async () => ownRules(now) });
  await fill('Title', 'Far too low');
  now = anOwnRule({ version: 3, owner: 'Night desk' });
  await act(() => queries.invalidateQueries());
  expect(await screen.findByText('Somebody else changed the rule Value too low meanwhile')).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' }).value).toBe('Far too low');
  await press('Keep what I typed, on top of theirs');
  await press('Save Value too low');
  expect(changeOwnAlertRule.mock.calls).toMatchObject([
    [{ body: { version: 3, rule: { title: 'Far too low', owner: 'Night desk' } } }],
  ]);
});

test.each([
  ['goes without it', ['ch_gone', 'ch_1'], ['ch_1']],
  ['goes to all when it has no other', ['ch_gone'], null],
])('behavior: a rule that names a channel that is gone %s', async (_what, channels, left) => {
  const changeOwnAlertRule = jest.fn(async (_input: unknown) => anOwnRule({ version: 3, enabled: false }));
  await open({
    changeOwnAlertRule,
    ownAlertRules: async () => ownRules(anOwnRule({ channels })),
    vaultChannels: async () => ({ channels: [aBinding()] }),
  });
  await screen.findByRole('switch', { name: 'To every channel of the vault', checked: left === null });
  if (left !== null) await screen.findByRole('switch', { name: 'Desk hook (gets every event)' });
  await press('Switch off Value too low');
  expect(changeOwnAlertRule.mock.calls).toMatchObject([[{ body: { rule: { enabled: false, channels: left } } }]]);
});

test.each([
  ['could be saved', 'Far too low'],
  ['is too long', 'x'.repeat(81)],
])('behavior: a rule is switched off as it is stored, while a title is typed that %s', async (_what, title) => {
  const changeOwnAlertRule = jest.fn(async (_input: unknown) => anOwnRule({ version: 3, enabled: false }));
  await open({ changeOwnAlertRule, ownAlertRules: async () => ownRules(anOwnRule()) });
  await fill('Title', title);
  await press('Switch off Value too low');
  expect(changeOwnAlertRule.mock.calls).toMatchObject([
    [{ body: { version: 2, rule: { title: 'Value too low', threshold: '1000500000', enabled: false } } }],
  ]);
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' }).value).toBe(title);
});

test('behavior: a rule is switched off, and deleted once that was confirmed', async () => {
  const changeOwnAlertRule = jest.fn(async (_input: unknown) => anOwnRule({ version: 3, enabled: false }));
  const deleteOwnAlertRule = jest.fn(async (_input: unknown) => null);
  await open({ changeOwnAlertRule, deleteOwnAlertRule, ownAlertRules: async () => ownRules(anOwnRule()) });
  await press('Switch off Value too low');
  expect(changeOwnAlertRule.mock.calls).toMatchObject([[{ body: { version: 2, rule: { enabled: false } } }]]);
  await press('Delete Value too low');
  expect(deleteOwnAlertRule).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Keep it' }));
  await press('Delete Value too low for good');
  expect(deleteOwnAlertRule).toHaveBeenCalledWith({
    params: { ...params, rule_id: anOwnRule().rule_id },
    query: { version: '2' },
  });
});

test('behavior: a rule is tried before it is saved: a chart with its threshold, and each alert', async () => {
  const backtestOwnAlertRule = jest.fn(async (_input: unknown) => ({
    from: '2026-01-01T00:00:00Z',
    to: '2026-04-01T00:00:00Z',
    fired: 1,
    open_seconds: 3_600,
    longest_seconds: 3_600,
    episodes: [
      {
        subject: 'vault',
        title: 'Value too low',
        message: 'Value of the vault: 900 USDC, below 1,000.5 USDC.',
        opened_at: '2026-02-01T00:00:00Z',
        resolved_at: null,
        duration_seconds: 3_600,
        muted_seconds: 0,
        titles: ['Value too low'],
      },
    ],
    observations: 1_234,
    truncated: false,
    points: [
      { t: '2026-01-01T00:00:00Z', value: '2000000000' },
      { t: '2026-02-01T00:00:00Z', value: '900000000' },
    ],
  }));
  await open({ backtestOwnAlertRule, ownAlertRules: async () => ownRules(anOwnRule()) });
  await press('Try on 90 days: Value too low');
  const outcome = await screen.findByRole('region', { name: 'Back-test' });
  expect(outcome.textContent).toContain('It would have fired once, 1 h in all: 1,234 observations since');
  expect(outcome.textContent).toContain('Threshold');
  const table = within(outcome).getByRole('table', { name: 'Alerts there would have been' });
  expect(table.textContent).toContain('1 h, still open');
  expect(table.textContent).toContain('below 1,000.5 USDC.');
  expect(backtestOwnAlertRule.mock.calls).toMatchObject([[{ params, body: { rule: { threshold: '1000500000' } } }]]);
});

test('behavior: a rule that is typed asks before it is left, and no more once it is saved as it was typed', async () => {
  let now = anOwnRule();
  const changeOwnAlertRule = jest.fn(async (_input: unknown) => {
    now = anOwnRule({ version: 3, title: 'Far too low' });
    return now;
  });
  await open({ changeOwnAlertRule, ownAlertRules: async () => ownRules(now) });
  await fill('Title', ' Far too low ');
  expect(hasUnsaved()).toBe(true);
  await press('Save Value too low');
  await screen.findByRole('button', { name: 'Save Far too low' });
  expect(hasUnsaved()).toBe(false);
  await press('New rule');
  expect(hasUnsaved()).toBe(false);
  await userEvent.type(within(screen.getByRole('region', { name: 'New rule' })).getByLabelText('Title'), 'x');
  expect(hasUnsaved()).toBe(true);
});

test('behavior: who only views a vault tries its rules and changes none', async () => {
  await open({ ownAlertRules: async () => ownRules(anOwnRule()) }, 'view_only');
  await screen.findByRole('list', { name: 'Own rules' });
  expect(screen.getByRole('button', { name: 'Try on 90 days: Value too low' })).toBeTruthy();
  for (const name of ['New rule', 'Save Value too low', 'Switch off Value too low', 'Delete Value too low'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

test('behavior: with as many rules as are allowed there is no other', async () => {
  await open({ ownAlertRules: async () => ({ ...ownRules(anOwnRule()), most: 1 }) });
  expect((await screen.findByRole('button', { name: 'New rule' })).hasAttribute('disabled')).toBe(true);
  expect(screen.getByText('The vault has 1 own rules, as many as are allowed.')).toBeTruthy();
});
