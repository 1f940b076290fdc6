import '../../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { renderPage } from '../../../test/harness.tsx';
import { someCohorts, someUsers } from '../../../test/lists.ts';
import { bridgeGap, bridgeSteps } from './bridge.ts';
import { BridgeCard } from './bridge-card.tsx';
import { cellsOf, cellWords } from './cohort-cells.ts';
import { HeatMap } from './cohorts.tsx';

const { bridge } = someUsers();

describe('bridge of holders', () => {
  test('default: start, new, back and gone add up to the end, and the card says so', async () => {
    await renderPage(<BridgeCard title="Holders over 30 days" start="30 days ago" bridge={bridge.d30} isOld={false} />);
    const rows = within(screen.getByRole('table', { name: 'Holders over 30 days' })).getAllByRole('row');
    expect(rows.map((row) => row.textContent)).toEqual([
      '30 days ago24',
      'New and still here+5',
      'Came back+1',
      'Left−3',
      'Now27',
    ]);
    expect(screen.getByText('24 + 5 + 1 − 3 = 27: it adds up')).toBeTruthy();
  });

  test('behavior: each step stands where the one before ended', () => {
    const steps = bridgeSteps(bridge.d30, { start: 'Then', end: 'Now' });
    expect(steps.map(({ from, to }) => [from, to])).toEqual([
      [0, 24],
      [24, 29],
      [29, 30],
      [27, 30],
      [0, 27],
    ]);
  });

  test('behavior: figures that contradict each other are an alert', async () => {
    const wrong = { ...bridge.d30, end: 30 };
    expect(bridgeGap(wrong)).toBe(3);
    await renderPage(<BridgeCard title="Holders" start="Then" bridge={wrong} isOld={false} />);
    expect(screen.getByRole('alert').textContent).toContain('contradict each other by 3');
  });
});

const cohorts = someCohorts([
  { cohort: '2026-01-12T00:00:00.000Z', size: 9, significant: true, complete: false, retained: [1, 0.8889, 0.7778] },
  { cohort: '2026-01-19T00:00:00.000Z', size: 3, significant: false, complete: true, retained: [1, null] },
]).cohorts;

describe('cohorts', () => {
  test('default: what still runs is hatched, few members are grey, n always stands beside', async () => {
    const user = userEvent.setup();
    await renderPage(<HeatMap cohorts={cohorts} interval="week" basis="count" isOld={false} />);
    await user.tab();
    const [, first, second] = within(screen.getByRole('table')).getAllByRole('row');
    const cells = (row: HTMLElement | undefined) => within(row as HTMLElement).getAllByRole('cell');
    expect(cells(first).map((cell) => cell.className.includes('hatched'))).toEqual([false, false, false, true]);
    expect(cells(first)[3]?.textContent).toBe('78% so far, this period still runs');
    expect(cells(first)[0]?.textContent).toBe('9');
    expect(cells(second)[0]?.textContent).toBe('3');
    expect(second?.dataset.significant).toBe('false');
    expect(cells(second)[2]?.textContent).toBe('—');
    expect(cells(second).some((cell) => cell.className.includes('hatched'))).toBe(false);
  });

  test('behavior: a cell says in words what its colour and hatching say', () => {
    const [big, small] = cohorts;
    if (big === undefined || small === undefined) throw new Error('two cohorts are needed');
    const last = cellsOf(big).at(-1);
    const early = cellsOf(small)[0];
    if (last === undefined || early === undefined) throw new Error('cells are needed');
    expect(cellWords(last, big, '12 Jan 2026', 'week', '78%')).toContain(
      '78% so far in week 2 after it, which still runs',
    );
    expect(cellWords(early, small, '19 Jan 2026', 'week', '100%')).toContain('fewer than 5 holders');
  });
});
