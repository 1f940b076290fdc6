import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { anOverview } from '../../test/analytics.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { someUsers } from '../../test/lists.ts';
import { aShown } from '../../test/shown.ts';
import { Overview } from './overview.tsx';
import Performance from './performance/performance.tsx';
import Pricing from './pricing/pricing.tsx';
import Users from './users/users.tsx';

const silence = () => new Promise<void>(() => undefined);
/** Answers that lag behind: each would show another figure than the overview. */
const lagging = {
  analyticsTvl: silence,
  analyticsApy: silence,
  analyticsBenchmark: silence,
  analyticsBridge: silence,
  analyticsPpsWhatIf: silence,
  transmissions: silence,
  validators: silence,
  analyticsCohorts: silence,
  analyticsRetention: silence,
  analyticsTopHolders: silence,
  analyticsOverview: async () => anOverview(),
  analyticsUsers: async () => someUsers({ total: 31 }),
  analyticsPps: silence,
  analyticsPerformance: silence,
};
const cards = async (label: string): Promise<string[]> => {
  await screen.findAllByText(label);
  return screen.getAllByText(label).flatMap((term) => {
    const card = term.closest('dt')?.parentElement;
    return card == null ? [] : [within(card).getAllByRole('definition')[0]?.textContent ?? ''];
  });
};

describe('a figure that stands twice on the page', () => {
  const shown = aShown({ hwm_pps: '1040000', hwm_pps_display: '1.040000' });

  test('default: the prices under Pricing are those of the overview, whatever another read says', async () => {
    const page = (
      <>
        <Overview shown={shown} />
        <Pricing shown={shown} />
      </>
    );
    await renderPage(page, { api: fakeApi(lagging) });
    const marks = await cards('High-water mark');
    expect(marks).toHaveLength(2);
    expect(new Set(marks)).toEqual(new Set(['1.040000']));
    expect(await cards('Current')).toEqual(await cards('Price per share'));
    expect(await cards('Calculated')).toEqual(await cards('Calculated price'));
  });

  test('behavior: the yield of 7 days and the number of holders are those of the headline', async () => {
    const page = (
      <>
        <Performance shown={shown} />
        <Users shown={shown} />
      </>
    );
    await renderPage(page, { api: fakeApi(lagging) });
    expect(await screen.findByText('5.35%')).toBeTruthy();
    expect(await cards('Holders')).toContain('27');
    expect(screen.queryByText('31')).toBeNull();
  });
});
