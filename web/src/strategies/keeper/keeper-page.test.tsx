import '../../../test/browser.ts';
import { GetKeeperRecord } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { act, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown, refusal } from '../../../test/shown.ts';
import { KeeperPage } from './keeper-page.tsx';
import type { KeeperRecord } from './use-keeper.ts';

const at = (minutes: number) => `2026-01-01T00:${String(minutes).padStart(2, '0')}:00.000Z`;
const run = {
  run_id: 'r1',
  kind: 'intent',
  intent_id: 'int_1',
  strategy_id: 'idle-in',
  strategy_name: 'Idle cash in',
  result: 'done',
  code: null,
  message: null,
  account: anAddress(9),
  nonce: 4,
  forms: 2,
  begun_block: 10,
  tx_hash: `0x${'ab'.repeat(32)}`,
  block_number: 13,
  gas_used: '212345',
  gas_price: '1000000000',
  fee: '212345000000000',
  ended_at: at(5),
} as const;
const lost = { ...run, run_id: 'r2', kind: 'fulfil', intent_id: null, strategy_id: null, strategy_name: null } as const;

const aRecord = (parts: Partial<KeeperRecord> = {}): KeeperRecord =>
  GetKeeperRecord.result.parse({
    keeper: {
      address: anAddress(9),
      role: 'secondary_manager',
      is_running: true,
      block_number: 20,
      last_pass_at: at(9),
      balance: '1000000000000000000',
    },
    from: '2025-12-25T00:10:00.000Z',
    to: at(10),
    since: at(0),
    totals: [
      { kind: 'intent', done: 3, failed: 1, stopped: 2, with_receipt: 4, gas_used: '800000', fee: '800000000000000' },
    ],
    queue: { open: null, active_intents: 0, waiting_requests: 2 },
    spending: { transactions: 4, fee: '800000000000000', over_days: 0.5, runway_days: 625 },
    refusals: [
      {
        strategy_id: null,
        strategy_name: null,
        code: 'GAS_TOO_DEAR',
        because: 'The next block asks 90 wei per gas; the limit is 60.',
        first_at: at(2),
        last_at: at(8),
      },
    ],
    runs: [run, { ...lost, result: 'failed', code: 'NONCE_USED', tx_hash: null, fee: null, gas_used: null }],
    total: 2,
    has_more: false,
    next_cursor: null,
    ...parts,
  });

const asked: unknown[] = [];
const show = (record: () => Promise<KeeperRecord>) =>
  renderPage(<KeeperPage shown={aShown()} />, {
    api: fakeApi({
      keeperRecord: ({ query }: { query: unknown }) => {
        asked.push(query);
        return record();
      },
    }),
    address: anAddress(7),
  });

describe('the keeper of a vault', () => {
  test('default: success with its n, gas, what waits, what was refused and why, and how long the key lasts', async () => {
    await show(async () => aRecord());
    expect(await screen.findAllByText('75.00%')).toHaveLength(2);
    expect(screen.getByText('3 of 4 transactions')).toBeTruthy();
    expect(screen.getByText('625 days')).toBeTruthy();
    expect(screen.getByRole('link', { name: '2 holders wait for a redemption' })).toBeTruthy();
    expect(screen.getByText('Recorded since 1 Jan 2026, 00:00 UTC')).toBeTruthy();
    const refused = within(screen.getByRole('table', { name: 'Refused' }));
    expect(refused.getByText('GAS_TOO_DEAR')).toBeTruthy();
    expect(refused.getByText('Redemptions')).toBeTruthy();
    const runs = within(screen.getByRole('table', { name: 'Runs' }));
    expect(runs.getByRole('link', { name: 'Idle cash in' }).getAttribute('href')).toMatch(/intents\?intent=int_1$/);
    expect(runs.getByText('Redemptions paid')).toBeTruthy();
    expect(runs.getByText('NONCE_USED')).toBeTruthy();
  });

  test('behavior: a transaction on its way says since when, and leads to its newest form', async () => {
    const tx_hashes = ['ab', 'cd'].map((byte) => `0x${byte.repeat(32)}`);
    const open = { kind: 'intent' as const, intent_id: 'int_2', nonce: 5, tx_hashes };
    const queue = { active_intents: 1, waiting_requests: 0 };
    const { unmount } = await show(async () => aRecord({ queue: { ...queue, open: { ...open, begun_at: at(4) } } }));
    const line = (await screen.findByText(/^A transaction with the nonce 5/)).closest('li');
    expect(line?.textContent).toMatch(
      /is on its way, begun 6 m ago, 1 Jan 2026, 00:04 UTC, in 2 signed forms: its intent0xcdcd/,
    );
    expect(within(line as HTMLElement).getByRole('button', { name: 'Copy its newest form' })).toBeTruthy();
    unmount();
    // Of a keeper that did not note it yet.
    await show(async () => aRecord({ queue: { ...queue, open } }));
    expect((await screen.findByText(/^A transaction with the nonce 5/)).textContent).toMatch(/is on its way, in 2/);
  });

  test('behavior: another window is asked for, and an empty one says what will appear', async () => {
    await show(async () =>
      aRecord({ totals: [], refusals: [], runs: [], total: 0, since: null, spending: null, keeper: null }),
    );
    expect(await screen.findByText('No run in this window')).toBeTruthy();
    expect(screen.getByText('Nothing has been recorded yet')).toBeTruthy();
    expect(screen.getByText('No keeper')).toBeTruthy();
    await userEvent.selectOptions(screen.getByLabelText('Window'), 'Last 30 days');
    expect(asked.at(-1)).toMatchObject({ window: '30d' });
  });

  test('behavior: who reads on in the list still sees whether the keeper runs', async () => {
    let isRunning = true;
    let reads = 0;
    await show(async () => {
      const { keeper, runs } = aRecord();
      reads += 1;
      return aRecord({
        keeper: keeper && { ...keeper, is_running: isRunning },
        runs: runs.map((each) => ({ ...each, run_id: `${each.run_id} of read ${reads}` })),
        total: 60,
        has_more: true,
        next_cursor: 'next',
      });
    });
    expect(await screen.findByText('Keeper runs')).toBeTruthy();
    isRunning = false;
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
    expect(await screen.findByText('Keeper does not run')).toBeTruthy();
    expect(screen.getByText(/^4 of 60 runs/)).toBeTruthy();
  });

  test('error: a record that is not read any more says since when it stands', async () => {
    let isGone = false;
    const { queries } = await show(async () => {
      if (isGone) throw refusal('INTERNAL', 500);
      return aRecord();
    });
    await screen.findByText('Keeper runs');
    isGone = true;
    await act(() => queries.invalidateQueries());
    expect(await screen.findByText(/^What the keeper did: last read/)).toBeTruthy();
    expect(screen.getByText('Keeper runs')).toBeTruthy();
  });

  test('error: a refusal of the service is shown with its reason', async () => {
    await show(() => Promise.reject(refusal('ROLE_REQUIRED', 403)));
    expect(await screen.findByText('What the keeper did could not be read')).toBeTruthy();
  });
});
