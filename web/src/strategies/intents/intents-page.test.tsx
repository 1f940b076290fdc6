import '../../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown, refusal } from '../../../test/shown.ts';
import { allocation, aStrategy, listOf, reward, someFields, source } from '../../../test/strategies.ts';
import { shortHex } from '../../format/address.ts';
import { type Intent, type IntentEvent, stepsOf } from './intent-states.ts';
import { IntentsPage } from './intents-page.tsx';

const vault_id = `31337:${anAddress(1)}`;
const tx = `0x${'ab'.repeat(32)}`;
const at = (seconds: number) => `2026-01-01T00:00:${String(seconds).padStart(2, '0')}.000Z`;
const anIntent = (parts: Partial<Intent> = {}): Intent => ({
  intent_id: 'intent-1',
  execution_id: 'exec-1',
  correlation_id: 'corr-1',
  strategy_id: 'idle-in',
  vault_id,
  chain_id: 31337,
  action: 'DEPOSIT',
  state: 'COMPLETED',
  source: 'engine',
  fills_count: 1,
  last_event_seq: 6,
  created_at: at(0),
  acked_at: at(1),
  executing_at: at(4),
  completed_at: at(6),
  terminal_at: at(6),
  expires_at: null,
  error_code: null,
  error_message: null,
  amount: '2500000',
  token_in: anAddress(4),
  token_out: source,
  tx_hash: tx,
  total_amount_in: '2500000',
  total_amount_out: '2400',
  gas_used_total: '212345',
  signal: { rule: 'held' },
  ...parts,
});
const anEvent = (seq_num: number, message_type: string, payload = {}): IntentEvent => ({
  event_id: `e${seq_num}`,
  intent_id: 'intent-1',
  execution_id: 'exec-1',
  seq_num,
  message_type,
  payload,
  created_at: at(seq_num),
});
const payloads: Record<string, object> = { PLAN: { plan: { hook_name: 'Deposit', amount: '5' } } };
const events = ['ACK', 'STAGE', 'PLAN', 'EXECUTE'].map((type, index) => anEvent(index + 1, type, payloads[type]));
const fill = {
  fill_id: 'f1',
  intent_id: 'intent-1',
  execution_id: 'exec-1',
  vault_id,
  chain_id: 31337,
  tx_hash: tx,
  amount_in: '2500000',
  amount_out: '2400',
  token_in: anAddress(4),
  token_out: source,
  gas_used: '212345',
  fill_time: at(6),
  venue: 'Deposit',
};
const counts = (value: string, count: number) => [{ value, count }];
const page = (intents: readonly Intent[], parts = {}) => ({
  intents,
  total: intents.length,
  has_more: false,
  next_cursor: null,
  ...parts,
});

async function open(answers: Record<string, unknown> = {}, url = '/') {
  const api = fakeApi({
    listStrategies: listOf([aStrategy()]),
    listIntents: async () => page([anIntent()]),
    intentFacets: async () => ({
      state: counts('COMPLETED', 3),
      action: counts('DEPOSIT', 3),
      strategy: counts('idle-in', 3),
      chain: [],
      vault: [],
    }),
    getIntent: async () => anIntent(),
    intentEvents: async () => ({ events }),
    intentFills: async () => ({ fills: [fill] }),
    ...answers,
  });
  const shown = aShown({ my_role: 'view_only', allocation });
  return renderPage(<IntentsPage shown={shown} />, { api, address: anAddress(0x10), url });
}

describe('the history', () => {
  test('default: each intent with its strategy, state, amounts in their units, and gas', async () => {
    await open();
    const table = await screen.findByRole('table', { name: 'Intents' });
    await waitFor(() => expect(table.textContent).toContain('Put idle cash to work'));
    expect(table.textContent).toMatch(/Completed2.5 USDC2,400 share units of Morpho Prime212,345/);
    expect(screen.getByRole('option', { name: 'Completed (3)' })).toBeTruthy();
    expect(screen.getByRole('option', { name: 'Failed (0)' })).toBeTruthy();
  });

  test('error: a history that is not read any more says since when it stands', async () => {
    let isGone = false;
    const listIntents = async () => {
      if (isGone) throw new Error('gone');
      return page([anIntent()]);
    };
    const { queries } = await open({ listIntents });
    await screen.findByRole('table', { name: 'Intents' });
    isGone = true;
    await act(() => queries.invalidateQueries());
    expect(await screen.findByText(/^The history: last read/)).toBeTruthy();
    expect(screen.getByRole('table', { name: 'Intents' })).toBeTruthy();
  });

  test('behavior: rewards stand in whole tokens: of a claim what came, of a swap what was given', async () => {
    const given = `${40n * 10n ** 18n}`;
    const got = `${41n * 10n ** 18n}`;
    const claim = anIntent({
      action: 'CLAIM',
      amount: given,
      token_in: null,
      token_out: reward.token,
      total_amount_in: '0',
      total_amount_out: got,
    });
    const swap = anIntent({
      intent_id: 'intent-2',
      action: 'SWAP',
      amount: given,
      token_in: reward.token,
      token_out: anAddress(4),
      total_amount_in: given,
      total_amount_out: '80000000',
    });
    const engineFields = async () => ({ ...someFields({}), rewards: [reward] });
    await open({ listIntents: async () => page([claim, swap]), engineFields });
    const table = await screen.findByRole('table', { name: 'Intents' });
    await waitFor(() => expect(table.textContent).toMatch(/Claim.*Completed40 PRIME41 PRIME/));
    expect(table.textContent).toMatch(/Swap.*Completed40 PRIME80 USDC/);
  });

  test('behavior: a token that nobody named is counted in base units', async () => {
    const claim = anIntent({ action: 'CLAIM', amount: '5', token_in: null, token_out: reward.token });
    await open({ listIntents: async () => page([claim]), engineFields: async () => someFields({}) });
    const table = await screen.findByRole('table', { name: 'Intents' });
    expect(table.textContent).toContain(`5 units of ${shortHex(reward.token)}`);
  });

  test('behavior: filters stand in the URL and go to the server, for list and counts', async () => {
    const listIntents = jest.fn(async (_input: unknown) => page([]));
    const intentFacets = jest.fn(async (_input: unknown) => ({ state: [], action: [], strategy: [] }));
    const { where } = await open({ listIntents, intentFacets });
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'State' }), 'FAILED');
    const query = { vault_id, state: 'FAILED' };
    await waitFor(() => expect(listIntents).toHaveBeenLastCalledWith({ query: { ...query, limit: '25' } }));
    expect(intentFacets).toHaveBeenLastCalledWith({ query });
    expect(where.search).toBe('?state=FAILED');
    expect(await screen.findByText('Nothing matches')).toBeTruthy();
  });

  test('behavior: a transaction hash is looked for as one, other words as text', async () => {
    const listIntents = jest.fn(async (_input: unknown) => page([]));
    await open({ listIntents });
    const sought = () => screen.getByRole('textbox', { name: 'Id, error or transaction' });
    await userEvent.type(sought(), `${tx}{Enter}`);
    await waitFor(() =>
      expect(listIntents).toHaveBeenLastCalledWith({ query: { vault_id, tx_hash: tx, limit: '25' } }),
    );
    await userEvent.clear(sought());
    await userEvent.type(sought(), 'SLIPPAGE{Enter}');
    await waitFor(() =>
      expect(listIntents).toHaveBeenLastCalledWith({ query: { vault_id, q: 'SLIPPAGE', limit: '25' } }),
    );
  });

  test('behavior: more come by the cursor', async () => {
    const listIntents = jest.fn(async ({ query }: { query: { vault_id?: string; limit?: string; cursor?: string } }) =>
      query.cursor === undefined
        ? page([anIntent()], { total: 2, has_more: true, next_cursor: 'next' })
        : page([anIntent({ intent_id: 'intent-2' })], { total: 2 }),
    );
    await open({ listIntents });
    await userEvent.click(await screen.findByRole('button', { name: 'Show more' }));
    expect(await screen.findByText('2 of 2 intents')).toBeTruthy();
    expect(listIntents).toHaveBeenLastCalledWith({ query: { vault_id, limit: '25', cursor: 'next' } });
  });

  test('default: without any, what will stand here is said', async () => {
    await open({ listIntents: async () => page([]) });
    expect(await screen.findByText('No intent yet')).toBeTruthy();
  });

  test('error: a history that cannot be read says so', async () => {
    const listIntents = async () => {
      throw refusal('INTERNAL', 500);
    };
    await open({ listIntents });
    expect(await screen.findByText('The history could not be read')).toBeTruthy();
  });
});

describe('one intent', () => {
  test('default: its way with times, its fills and its events', async () => {
    await open({}, '/?intent=intent-1');
    const way = await screen.findByRole('list', { name: 'Lifecycle' });
    await waitFor(() =>
      expect(
        within(way)
          .getAllByRole('listitem')
          .map((item) => item.textContent),
      ).toEqual([
        'Received1 Jan 2026, 00:00:00 UTC',
        'Accepted1 Jan 2026, 00:00:01 UTC',
        'Staged1 Jan 2026, 00:00:02 UTC',
        'Planned1 Jan 2026, 00:00:03 UTC',
        'Executing1 Jan 2026, 00:00:04 UTC',
        'Completed1 Jan 2026, 00:00:06 UTC',
      ]),
    );
    const fills = await screen.findByRole('table', { name: 'Fills' });
    expect(fills.textContent).toMatch(/2.5 USDC2,400 share units of Morpho Prime212,345Deposit/);
    const list = await screen.findByRole('list', { name: 'Events' });
    expect(within(list).getAllByRole('listitem')).toHaveLength(4);
    expect(list.textContent).toMatch(/1Accepted.*3Planned.*hook nameDepositamount5/);
  });

  test('behavior: a rebalance says from which source into which, and what each leg of its plan was', async () => {
    const other = anAddress(0x31);
    const rebalance = anIntent({ action: 'REBALANCE', token_in: other, token_out: source });
    const legs = [
      { action: 'WITHDRAWAL', hook_name: 'Redeem' },
      { action: 'DEPOSIT', hook_name: 'Put in' },
    ];
    const planned = anEvent(3, 'PLAN', { plan: { legs, max_slippage_bps: 50 } });
    await open(
      {
        getIntent: async () => rebalance,
        intentEvents: async () => ({ events: [planned] }),
      },
      '/?intent=intent-1',
    );
    expect(await screen.findByText(`Rebalance, ${shortHex(other)} → Morpho Prime`)).toBeTruthy();
    const list = await screen.findByRole('list', { name: 'Events' });
    expect(list.textContent).toMatch(/1\. actionWITHDRAWAL1\. hook nameRedeem2\. actionDEPOSIT2\. hook namePut in/);
  });

  test('behavior: one that ended early never reached the rest', () => {
    const failed = anIntent({ state: 'EXPIRED', executing_at: null, completed_at: null, terminal_at: at(9) });
    const steps = stepsOf(failed, events.slice(0, 2));
    expect(steps.map(({ state, at: when }) => [state, when])).toEqual([
      ['RECEIVED', at(0)],
      ['ACKED', at(1)],
      ['STAGED', at(2)],
      ['PLANNED', undefined],
      ['EXECUTING', undefined],
      ['EXPIRED', at(9)],
    ]);
  });

  test('behavior: one under way has not ended', () => {
    const steps = stepsOf(anIntent({ state: 'EXECUTING', completed_at: null, terminal_at: null }), []);
    expect(steps.map(({ at: when }) => when)).toEqual([at(0), at(1), null, null, at(4), undefined]);
    expect(steps.find(({ isNow }) => isNow)?.state).toBe('EXECUTING');
  });
});
