import '../../test/browser.ts';
import { formulasVersion } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAnalysis, laterRefusal } from '../../test/ai.ts';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown, refusal } from '../../test/shown.ts';
import { AnalysisPage } from './analysis-page.tsx';

const self = anAddress(0x10);
const open = (answers: Parameters<typeof fakeApi>[0]) =>
  renderPage(<AnalysisPage shown={aShown({ my_role: 'view_only' })} />, {
    api: fakeApi({ analysis: async () => anAnalysis(), ...answers }),
    address: self,
  });
const once = <T,>(...answers: (T | Promise<T> | Error)[]) => {
  const left = [...answers];
  return jest.fn(async (_input: unknown): Promise<T> => {
    const next = left.length > 1 ? left.shift() : left[0];
    if (next instanceof Error) throw next;
    return next as T | Promise<T>;
  });
};

describe('analysis', () => {
  test('default: five sections, summary, highlights, who wrote it, when and at which block', async () => {
    await open({});
    expect(await screen.findByText('A calm week.')).toBeTruthy();
    for (const name of ['Performance', 'Risk', 'Yield sources', 'Fees', 'Liquidity']) {
      expect(screen.getByRole('region', { name })).toBeTruthy();
    }
    expect(within(screen.getByRole('list', { name: 'Highlights' })).getByText('The price is on time.')).toBeTruthy();
    expect(screen.getByText(/Built-in analyst \(rules-1\): rules, no language model/)).toBeTruthy();
    expect(screen.getByText('2 Jan 2026, 10:00 UTC').parentElement?.textContent).toMatch(
      /^2 Jan 2026, 10:00 UTC, .+ ago$/,
    );
    expect(screen.getByText('Figures of block 90')).toBeTruthy();
    expect(screen.queryByText(/not traced/)).toBeNull();
  });

  test('behavior: a citation opens the receipt of its figure, at the block of the analysis', async () => {
    const analyticsOverview = jest.fn(async (_input: unknown) => ({
      as_of: '2026-01-02T09:59:00.000Z',
      block_number: 90,
      quality: {},
      receipts: {
        'apy.d7': {
          value: 0.042,
          unit: 'fraction',
          formula: '(pps1 / pps0) ^ (365 / 7) - 1',
          method: 'apy/1',
          status: 'ok',
          window: null,
          sample_size: 2,
          rests_on: 'logs',
          gaps: [],
          inputs: [],
          verify: 'curl x',
        },
      },
    }));
    await open({ analyticsOverview });
    await userEvent.click(await screen.findByRole('button', { name: 'Receipt of APY over 7 days' }));
    const dialog = await screen.findByRole('dialog', { name: 'Receipt: APY over 7 days' });
    expect(await within(dialog).findByText('(pps1 / pps0) ^ (365 / 7) - 1')).toBeTruthy();
    expect(analyticsOverview).toHaveBeenCalledWith({
      params: { chain_id: '31337', vault_address: anAddress(1) },
      query: { block: '90', receipt: 'apy.d7', v: formulasVersion },
    });
  });

  test('behavior: a figure is marked where it stands, and those that stand nowhere are listed', async () => {
    await open({});
    const mark = await screen.findByRole('button', { name: 'Receipt of APY over 7 days' });
    expect(mark.closest('p')?.textContent).toBe('The vault earned 4.20% over 7 days.');
    const lists = screen.getAllByRole('list', { name: 'Figures this rests on' });
    expect(lists.map(({ textContent }) => textContent)).toEqual(['supply of shares']);
  });

  test('behavior: a figure that is only read says its value and where it stands', async () => {
    await open({});
    await userEvent.click(await screen.findByRole('button', { name: 'Receipt of supply of shares' }));
    const dialog = await screen.findByRole('dialog', { name: 'Receipt: supply of shares' });
    expect(within(dialog).getByText('11850000000000')).toBeTruthy();
    expect(within(dialog).getByText('vault.total_supply')).toBeTruthy();
  });

  test('behavior: an untraced figure is marked where it stands and listed', async () => {
    const [performance, ...others] = anAnalysis().sections;
    const sections = performance ? [{ ...performance, narrative: 'It earned [unverified: 99 %].' }, ...others] : [];
    const ungrounded_figures = [
      { section: 'performance', figure: '99 %', context: 'It earned 99 %' },
      { section: 'risk', figure: '12', context: 'score is 12' },
    ];
    await open({ analysis: async () => anAnalysis({ sections, ungrounded_figures }) });
    expect(await screen.findByText('2 figures are not traced')).toBeTruthy();
    const marks = [...document.querySelectorAll('mark')].map(({ textContent }) => textContent);
    expect(marks).toEqual(['99% (not traced to a figure)', '12 (not traced to a figure)']);
    expect(document.body.textContent).not.toContain('[unverified');
  });

  test('behavior: one that is being written is asked for again after the time the server names', async () => {
    const { promise: written, resolve: write } = Promise.withResolvers<ReturnType<typeof anAnalysis>>();
    const analysis = once(laterRefusal('NOT_READY', 503, 0.05), written);
    await open({ analysis });
    expect(await screen.findByText('The analysis is being written')).toBeTruthy();
    write(anAnalysis());
    expect(await screen.findByText('A calm week.')).toBeTruthy();
    expect(analysis).toHaveBeenCalledTimes(2);
  });

  test('error: an unreadable one says so, with the request and another try', async () => {
    const analysis = once(refusal('SERVICE_UNAVAILABLE', 503), anAnalysis());
    await open({ analysis });
    expect(await screen.findByText('The analysis could not be read')).toBeTruthy();
    expect(screen.getByText('req-1')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('A calm week.')).toBeTruthy();
  });
});

describe('refresh', () => {
  const press = async () => {
    await screen.findByText('A calm week.');
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  };

  test('default: a new one is asked for and takes the place of the old', async () => {
    const analysis = once(anAnalysis(), anAnalysis({ summary: 'A wild week.' }));
    await open({ analysis });
    await press();
    expect(await screen.findByText('A wild week.')).toBeTruthy();
    expect(analysis).toHaveBeenLastCalledWith({
      params: { vault_address: anAddress(1) },
      query: { chain_id: '31337', refresh: 'true' },
    });
  });

  test('behavior: while it is written the server is asked for what there is, and only another one counts', async () => {
    const later = anAnalysis({ summary: 'A wild week.', generated_at: '2026-01-02T11:00:00.000Z' });
    const analysis = once(anAnalysis(), laterRefusal('NOT_READY', 503, 0.01), anAnalysis(), later);
    await open({ analysis });
    await press();
    expect(await screen.findByText('A wild week.')).toBeTruthy();
    const refreshes = analysis.mock.calls.filter(([input]) => JSON.stringify(input).includes('refresh'));
    expect(refreshes).toHaveLength(1);
    expect(analysis).toHaveBeenCalledTimes(4);
  });

  test('error: a spent budget says until when, and the old one stays', async () => {
    await open({ analysis: once(anAnalysis(), laterRefusal('AI_BUDGET_SPENT', 429, 1_500)) });
    await press();
    expect(await screen.findByText('The hour’s budget of new analyses is spent')).toBeTruthy();
    expect(screen.getByText(/You can ask again in 25 m, at .* UTC\./)).toBeTruthy();
    expect(screen.getByText('A calm week.')).toBeTruthy();
    await waitFor(() => expect(screen.getByRole('button', { name: 'Refresh' }).hasAttribute('disabled')).toBe(false));
  });
});
