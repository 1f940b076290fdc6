import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { anOverview } from '../../test/analytics.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown } from '../../test/shown.ts';
import { SectionSummaries } from './section-summaries.tsx';

const reads = () => ({
  analyticsOverview: jest.fn(async () => anOverview()),
  analyticsRun: jest.fn(async () => ({ demand: '5000000000', paid_now: '2000000000', hours: 24, quality: {} })),
});
const cardOf = (title: string): HTMLElement => {
  const card = screen.getByRole('link', { name: title }).closest('li');
  if (card === null) throw new Error(`no card ${title}`);
  return card;
};

describe('section summaries', () => {
  test('default: performance and risk show figures that the page has read, each with its receipt', async () => {
    await renderPage(<SectionSummaries shown={aShown()} />, { api: fakeApi(reads()) });
    const performance = within(cardOf('Performance'));
    expect(await performance.findByText('5.01%')).toBeTruthy();
    expect(performance.getByText('+20.00%')).toBeTruthy();
    expect(performance.getByRole('button', { name: 'Receipt of Net APY, since inception' })).toBeTruthy();
    const risk = within(cardOf('Risk'));
    expect((await risk.findByText(/^5,?000/)).textContent).toContain('USDC');
    expect(risk.getByText(/^2,?000/)).toBeTruthy();
    expect(risk.getByRole('button', { name: 'Receipt of Could be paid at once' })).toBeTruthy();
  });

  test('behavior: what is not known is a dash', async () => {
    const apy = { current: null, d7: null, d30: null, since_inception: null };
    const api = fakeApi({
      analyticsOverview: async () => anOverview({ apy }),
      analyticsRun: () => new Promise(() => undefined),
    });
    await renderPage(<SectionSummaries shown={aShown()} />, { api });
    expect(await within(cardOf('Performance')).findByText('+20.00%')).toBeTruthy();
    expect(within(cardOf('Performance')).getByText('—')).toBeTruthy();
    expect(within(cardOf('Risk')).getAllByText('—')).toHaveLength(2);
  });

  test('behavior: at a past moment nothing of now is shown or asked for', async () => {
    const asked = reads();
    await renderPage(<SectionSummaries shown={aShown()} />, {
      api: fakeApi(asked),
      url: '/?at=2025-12-01T00:00:00.000Z',
    });
    expect(cardOf('Performance')).toBeTruthy();
    expect(screen.queryByRole('definition')).toBeNull();
    expect(asked.analyticsOverview).not.toHaveBeenCalled();
    expect(asked.analyticsRun).not.toHaveBeenCalled();
  });
});
