import '../../../test/browser.ts';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { anAddress, aPublicVault } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aHistory, aListedRound, aNetwork, aRoundDetail, aRoundsPage } from '../../../test/validators.ts';
import { POLL_MS } from '../../data/queries.ts';
import type { History, RoundDetail, RoundsPage } from './history.ts';
import { ValidatorHistoryPage } from './history-page.tsx';
import { RoundPage } from './round-page.tsx';

const calls: unknown[] = [];
const asked: { filter?: string; cursor?: string }[] = [];
const show = (
  history: () => Promise<History>,
  url = '/validators/history',
  rounds: () => Promise<RoundsPage> = async () => aRoundsPage(),
) =>
  renderPage(<ValidatorHistoryPage />, {
    api: fakeApi({
      validatorHistory: async (asked: { query: unknown }) => {
        calls.push(asked.query);
        return history();
      },
      validatorRounds: async ({ query }: { query: (typeof asked)[number] }) => {
        asked.push(query);
        return rounds();
      },
      validators: async () => aNetwork(),
      publicVaults: async () => [aPublicVault()],
    }),
    path: '/validators/history',
    url,
  });
const showRound = (round: () => Promise<RoundDetail>) =>
  renderPage(<RoundPage />, {
    api: fakeApi({ validatorRound: round }),
    path: '/validators/rounds/:digest/:epoch/:round',
    url: `/validators/rounds/0x${'ca'.repeat(32)}/1/7`,
  });

afterEach(() => void jest.useRealTimers());

describe('validators over time', () => {
  test('default: each node, transmitter and vault is a row, and what was not recorded is said so', async () => {
    await show(async () => aHistory());
    const nodes = within(await screen.findByRole('table', { name: 'Nodes over time' }));
    const row = within(nodes.getByRole('row', { name: /oracle-0/ }));
    expect(row.getByText('90.00% (9 of 10)')).toBeTruthy();
    expect(row.getByText('20 ms, at most 40 ms')).toBeTruthy();
    expect(row.getByText('not recorded')).toBeTruthy();
    const sent = within(screen.getByRole('table', { name: 'Transmitters over time' }));
    expect(sent.getByText(/^0.5 ETH \(1 without a receipt\)$/)).toBeTruthy();
    expect(sent.getByText('12.5 days')).toBeTruthy();
    const vaults = within(screen.getByRole('table', { name: 'Vaults over time' }));
    expect(vaults.getByRole('link', { name: 'USDC Core' })).toBeTruthy();
    expect(vaults.getByText('0.5 ETH (1 without a receipt)')).toBeTruthy();
    expect(screen.getByText('Recorded since 1 Jan 2026, 10:00 UTC')).toBeTruthy();
    const round = await screen.findByRole('link', { name: 'Round 1.7' });
    expect(round.getAttribute('href')).toMatch(/^\/validators\/rounds\/0x[0-9a-f]{64}\/1\/7$/);
  });

  test('behavior: the filters stand in the URL and are asked for', async () => {
    const signer = anAddress(0x50);
    await show(async () => aHistory(), `/validators/history?window=7d&node=${signer}`);
    await screen.findByRole('table', { name: 'Nodes over time' });
    expect(calls.at(-1)).toEqual({ window: '7d', signer });
    await userEvent.selectOptions(screen.getByLabelText('Vault'), 'USDC Core');
    expect(calls.at(-1)).toEqual({ window: '7d', signer, vault_id: `31337:${anAddress(1)}` });
  });

  test('behavior: for one vault nothing is said to be zero that is not known of it', async () => {
    const { buckets, nodes } = aHistory();
    const ofVault = aHistory({
      buckets: buckets.map((bucket) => ({ ...bucket, lost: null, late: null, sent: null })),
      nodes: nodes.map((node) => ({ ...node, late: null, dropped: null, sent: null })),
    });
    await show(async () => ofVault, `/validators/history?vault=31337:${anAddress(1)}&node=${anAddress(0x50)}`);
    const missed = within(await screen.findByRole('figure', { name: 'Rounds missed and late' }));
    expect(
      missed.getByText(/^10 rounds priced this vault, how many observations came too late is not known/),
    ).toBeTruthy();
    expect(missed.getByText(/which rounds never ended is not known for one vault$/)).toBeTruthy();
    await userEvent.click(missed.getByRole('button', { name: 'Show Rounds missed and late as a table' }));
    expect(missed.getByRole('columnheader', { name: /never ended \(not known for one vault\)/ })).toBeTruthy();
    const row = within(screen.getByRole('row', { name: /oracle-0.*90.00%/ }));
    expect(row.getAllByText('not known for one vault')).toHaveLength(2);
    const gas = within(screen.getByRole('figure', { name: 'Gas paid' }));
    expect(gas.getByText('What this node paid is not known for one vault')).toBeTruthy();
    expect(screen.getByText(/^What a node paid is not known for one vault in all of this window/)).toBeTruthy();
  });

  test('behavior: for one vault gas is that of the transactions with a price of it', async () => {
    const { buckets } = aHistory();
    const some = [...buckets, ...buckets.map((bucket) => ({ ...bucket, t: '2026-01-01T10:00:00.000Z', sent: null }))];
    await show(async () => aHistory({ buckets: some }), `/validators/history?vault=31337:${anAddress(1)}`);
    const gas = within(await screen.findByRole('figure', { name: /^Gas paid on/ }));
    expect(gas.getByText(/each in full, though it may carry prices of other vaults/)).toBeTruthy();
    expect(gas.getByText(/not known for one vault in a part of this window$/)).toBeTruthy();
  });

  test('default: the balance of each transmitter is a line with its sentence and table', async () => {
    await show(async () => aHistory());
    const balances = within(await screen.findByRole('figure', { name: /^Balances on/ }));
    expect(balances.getByText('oracle-0 has least: 6 ETH after its last transaction')).toBeTruthy();
    await userEvent.click(balances.getByRole('button', { name: /as a table$/ }));
    expect(balances.getByRole('cell', { name: '6 ETH' })).toBeTruthy();
  });

  test('default: before the first round the page says since when it will be', async () => {
    await show(async () => aHistory({ since: null, buckets: [], nodes: [], vaults: [], rounds: [] }));
    expect(await screen.findByText('Nothing has been recorded yet')).toBeTruthy();
  });

  test('error: a failed read gives the reason', async () => {
    await show(() => Promise.reject({ status: 503, detail: 'The vaults service does not answer.' }));
    expect(await screen.findByText('The history could not be read')).toBeTruthy();
  });
});

describe('the list of rounds', () => {
  test('default: one that never ended says so and has no page, and who was late is named apart', async () => {
    const lost = aListedRound({ round: 9, outcome: 'lost', finished_at: null, observers: [], signers: [], prices: [] });
    const lacking = aListedRound({ round: 8, observers: [0, 1], missing: [2, 3], late: [3] });
    await show(
      async () => aHistory(),
      '/validators/history?rounds=incomplete',
      async () => aRoundsPage({ rounds: [lost, lacking], total: 2 }),
    );
    const table = within(await screen.findByRole('table', { name: 'Rounds' }));
    expect(asked.at(-1)).toMatchObject({ filter: 'incomplete' });
    expect(table.getByText('Never ended')).toBeTruthy();
    expect(table.queryByRole('link', { name: 'Round 1.9' })).toBeNull();
    expect(table.getByText('Missing: oracle-2. Too late: oracle-3')).toBeTruthy();
    await userEvent.selectOptions(screen.getByLabelText('Show rounds'), 'All');
    expect(asked.at(-1)).toEqual({ limit: '25' });
  });

  test('behavior: a round of a former configuration names places, not who stands in them now', async () => {
    const parts = { leader: 1, observers: [0, 1], missing: [2, 3], late: [3], config_digest: `0x${'0f'.repeat(32)}` };
    await show(
      async () => aHistory(),
      undefined,
      async () => aRoundsPage({ rounds: [aListedRound({ round: 9, leader: 1 }), aListedRound(parts)], total: 2 }),
    );
    const table = within(await screen.findByRole('table', { name: 'Rounds' }));
    const present = within(table.getByRole('row', { name: /Round 1\.9/ }));
    expect(await present.findByText('oracle-1')).toBeTruthy();
    const former = within(table.getByRole('row', { name: /Round 1\.7/ }));
    expect(former.getByText('node 1')).toBeTruthy();
    expect(former.getByText('Missing: node 2. Too late: node 3')).toBeTruthy();
    expect(former.queryByText(/oracle-/)).toBeNull();
  });

  test('behavior: older rounds come page by page, of the node that is chosen', async () => {
    const pages = [
      aRoundsPage({ total: 2, has_more: true, next_cursor: 'older' }),
      aRoundsPage({ rounds: [aListedRound({ round: 3 })], total: 2 }),
    ];
    const signer = anAddress(0x50);
    await show(
      async () => aHistory(),
      `/validators/history?node=${signer}`,
      async () => pages.shift() ?? aRoundsPage(),
    );
    await screen.findByText('1 of 2 rounds');
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
    expect(await screen.findByRole('link', { name: 'Round 1.3' })).toBeTruthy();
    expect(screen.getByText('2 of 2 rounds')).toBeTruthy();
    expect(asked.at(-1)).toEqual({ limit: '25', signer, cursor: 'older' });
  });

  test('default: where none matches the list says what to change, and of a vault why none that never ended is there', async () => {
    const none = aRoundsPage({ rounds: [], total: 0 });
    await show(
      async () => aHistory(),
      `/validators/history?rounds=lost&vault=31337:${anAddress(1)}`,
      async () => none,
    );
    expect(await screen.findByText('No round that is kept matches')).toBeTruthy();
    expect(screen.getByText(/does not say which vault it would have priced/)).toBeTruthy();
  });

  test('error: a failed read of the rounds leaves the charts', async () => {
    const refused = { status: 503, detail: 'The vaults service does not answer.' };
    await show(
      async () => aHistory(),
      undefined,
      () => Promise.reject(refused),
    );
    expect(await screen.findByText('The rounds could not be read')).toBeTruthy();
    expect(screen.getByRole('figure', { name: 'Participation' })).toBeTruthy();
  });
});

describe('one round', () => {
  const [transaction] = aRoundDetail().transactions;
  test('default: who observed what, who signed, what was sent and what it cost', async () => {
    await showRound(async () => aRoundDetail());
    const prices = within(await screen.findByRole('table', { name: 'Observed for USDC Core' }));
    expect(prices.getByText('+0.02 bps')).toBeTruthy();
    const nodes = within(screen.getByRole('table', { name: 'Nodes of the round' }));
    expect(nodes.getByText('Not used: it came too late')).toBeTruthy();
    const sent = within(screen.getByRole('table', { name: 'Transactions of the round' }));
    expect(sent.getByText('84,000')).toBeTruthy();
    expect(sent.getByText('Stored')).toBeTruthy();
    expect(sent.getByText('balance not recorded')).toBeTruthy();
  });

  test('behavior: of a form that another one replaced nothing is said to be missing', async () => {
    const none = { mined_at: null, block_number: null, gas_used: null, gas_price: null, fee: null };
    const replaced = { ...transaction, ...none, state: 'not_needed', reason: 'replaced' } as const;
    await showRound(async () => aRoundDetail({ transactions: [replaced as RoundDetail['transactions'][number]] }));
    const sent = within(await screen.findByRole('table', { name: 'Transactions of the round' }));
    expect(sent.getByText('Another transaction of the node took its place.')).toBeTruthy();
    expect(sent.queryByText(/not recorded/)).toBeNull();
  });

  const open = { ...transaction, state: 'mined', ended_at: null } as RoundDetail['transactions'][number];
  test.each([
    ['that ended just now is asked for again', { as_of: '2026-01-01T12:10:00.000Z' }, 3],
    [
      'whose transaction is not over is asked for again',
      { as_of: '2026-01-01T13:00:00.000Z', transactions: [open] },
      3,
    ],
    [
      'with prices of which nobody has sent any yet is asked for again',
      { as_of: '2026-01-01T13:00:00.000Z', transactions: [] },
      3,
    ],
    [
      'without a price is asked for once, as there is nothing to send',
      { as_of: '2026-01-01T13:00:00.000Z', outcome: 'skip' as const, prices: [], transactions: [] },
      1,
    ],
    ['that is over is asked for once', { as_of: '2026-01-01T13:00:00.000Z' }, 1],
    ['of days ago is asked for once', { as_of: '2026-01-03T12:00:00.000Z', transactions: [open] }, 1],
  ])('behavior: a round %s', async (_which, parts, times) => {
    jest.useFakeTimers();
    const read = jest.fn(async () => aRoundDetail(parts));
    await showRound(read);
    await act(() => jest.advanceTimersByTimeAsync(10));
    for (let polls = 0; polls < 2; polls += 1) await act(() => jest.advanceTimersByTimeAsync(POLL_MS + 10));
    expect(read).toHaveBeenCalledTimes(times);
  });

  test('error: a round that is not kept says so', async () => {
    await showRound(() => Promise.reject({ status: 404, detail: 'Rounds are kept for 14 days; check the link.' }));
    expect(await screen.findByText('This round could not be read')).toBeTruthy();
    expect(screen.getByText(/kept for 14 days/)).toBeTruthy();
  });
});
