import '../../test/browser.ts';
import { preparedKinds, preparedStates } from '@castellan/contracts';
import { changes } from '@castellan/sdk/calls';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aPreparedResource, primary } from '../../test/prepared.ts';
import { aShown, refusal } from '../../test/shown.ts';
import type { Role } from '../users/access.ts';
import { type Prepared, preparePathOf, type State, stateWords } from './call-states.ts';
import { CallsPage } from './calls-page.tsx';
import { stopsOf } from './lifecycle.tsx';

const page = (prepared: Prepared[], next: string | null = null) => ({
  prepared,
  total: prepared.length,
  has_more: next !== null,
  next_cursor: next,
});
const calls = [
  aPreparedResource({ id: 'two', kind: 'pause', status: 'reverted', tx_hash: `0x${'ab'.repeat(32)}` }),
  aPreparedResource({ id: 'one' }),
];
const open = (my_role: Role, listPrepared: unknown = async () => page(calls), url = '/') =>
  renderPage(<CallsPage shown={aShown({ my_role })} />, {
    api: fakeApi({ listPrepared }),
    address: primary,
    path: '/',
    url,
  });

describe('prepared calls', () => {
  test.each<Role>(['primary_manager', 'secondary_manager'])(
    'default: %s sees each with its state and opens it',
    async (role) => {
      await open(role);
      const table = await screen.findByRole('table', { name: 'Prepared calls' });
      const [, first, second] = within(table).getAllByRole('row');
      expect(first?.textContent).toMatch(/Pause the vault.*Reverted/);
      expect(second?.textContent).toMatch(/Add a secondary manager.*Prepared/);
      expect(screen.getByRole('link', { name: 'Pause the vault' }).getAttribute('href')).toBe('/operate/review/two');
    },
  );

  test('behavior: a viewer sees whom they are for, and nothing is asked', async () => {
    const listPrepared = jest.fn(async () => page(calls));
    await open('view_only', listPrepared);
    expect(screen.getByText('Prepared calls are for managers')).toBeTruthy();
    expect(listPrepared).not.toHaveBeenCalled();
  });

  test('behavior: a state is asked of the server and stands in the URL', async () => {
    const listPrepared = jest.fn(async (_input: unknown) => page([]));
    const { where } = await open('primary_manager', listPrepared);
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'State' }), 'reverted');
    expect(where.search).toBe('?status=reverted');
    expect(await screen.findByText('No call in this state')).toBeTruthy();
    await waitFor(() =>
      expect(listPrepared).toHaveBeenLastCalledWith({
        query: { vault_address: anAddress(1), chain_id: '31337', limit: '50', status: 'reverted' },
      }),
    );
  });

  test('behavior: more is read from where the page ended', async () => {
    const listPrepared = async ({ query }: { query: { cursor?: string } }) =>
      query.cursor === 'next' ? page([aPreparedResource({ id: 'old', kind: 'unpause' })]) : page(calls, 'next');
    await open('primary_manager', listPrepared);
    await userEvent.click(await screen.findByRole('button', { name: 'Show more' }));
    expect(await screen.findByText('Unpause the vault')).toBeTruthy();
  });

  test('default: before anything was prepared it says what will appear', async () => {
    await open('primary_manager', async () => page([]));
    expect(await screen.findByText('Nothing was prepared yet')).toBeTruthy();
  });

  test('error: an unreadable list says so with the request', async () => {
    await open('primary_manager', async () => {
      throw refusal('SERVICE_UNAVAILABLE', 503);
    });
    expect(await screen.findByText('The calls could not be read')).toBeTruthy();
    expect(screen.getByText('req-1')).toBeTruthy();
  });
});

describe('the way of a call', () => {
  const entry = (state: State, block: number | null = null) => ({
    state,
    t: '2026-01-01T00:00:00Z',
    tx_hash: null,
    block_number: block,
  });
  const looks = (call: Parameters<typeof stopsOf>[0]) => stopsOf(call).map(({ state, look }) => `${state} ${look}`);

  test('default: what was, what is and what may still come', () => {
    expect(looks({ status: 'mined', history: [entry('prepared'), entry('broadcast'), entry('mined', 7)] })).toEqual([
      'prepared done',
      'broadcast done',
      'mined now',
      'confirmed later',
      'verified later',
    ]);
  });

  test('default: verified, all of it is done', () => {
    expect(looks({ status: 'verified', history: [entry('prepared'), entry('verified')] }).at(-1)).toBe('verified done');
  });

  test('behavior: a reorg takes it back, and what was mined before counts no more', () => {
    const history = [entry('prepared'), entry('broadcast'), entry('mined', 7), entry('broadcast')];
    const stops = stopsOf({ status: 'broadcast', history });
    expect(stops[2]).toEqual({ state: 'mined', entry: undefined, look: 'later' });
  });

  test.each<State>(['failed_post_condition', 'reverted', 'replaced', 'expired'])(
    'behavior: %s ends it and nothing is promised after that',
    (status) => {
      expect(looks({ status, history: [entry('prepared'), entry(status)] })).toEqual([
        'prepared done',
        `${status} failed`,
      ]);
    },
  );
});

test('behavior: every kind and state has words and a page', () => {
  for (const kind of preparedKinds) {
    expect(changes[kind].title).toBeTruthy();
    expect(preparePathOf(kind)('devnet', '0x1')).toMatch(
      /^\/operate\/devnet\/0x1\/(users|settings|redemptions|pause|yield-sources|merkle)$|^\/managed-vaults\/devnet\/0x1$/,
    );
  }
  for (const state of preparedStates) expect(stateWords[state].meaning).toBeTruthy();
});
