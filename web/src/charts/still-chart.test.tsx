import '../../test/browser.ts';
import { afterEach, expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { StillChart } from './still-chart.tsx';
import type { Point } from './types.ts';
import { usd } from './units.ts';

const empty = { title: 'No value in this period', detail: 'Each reading adds a point.' };
const chart = (points: readonly Point[], isLoading = false) => (
  <StillChart
    title="Course of the value"
    takeaway="The vault holds $40."
    series={[{ id: 'tvl', name: 'TVL', kind: 'line', points }]}
    unit={usd}
    empty={empty}
    isLoading={isLoading}
    link={<a href="/performance">Read the values</a>}
  />
);

/** Says how wide an element is once it is observed, as browsers do when they have laid it out. */
class LaidOut {
  private readonly say: (entries: { contentRect: { width: number } }[]) => void;
  constructor(say: LaidOut['say']) {
    this.say = say;
  }
  observe() {
    this.say([{ contentRect: { width: 400 } }]);
  }
  disconnect() {
    return undefined;
  }
}

const { ResizeObserver } = globalThis;
afterEach(() => {
  Object.assign(globalThis, { ResizeObserver });
});

test('default: what it says is its name, its axes are labelled, and a gap is left out of the line', () => {
  Object.assign(globalThis, { ResizeObserver: LaidOut });
  const hour = 3_600_000;
  const { container } = render(chart([10, 20, null, 30, 40].map((value, index): Point => [index * hour, value])));
  expect(screen.getByRole('img', { name: 'Course of the value. The vault holds $40.' })).toBeTruthy();
  expect(screen.getByText('$40')).toBeTruthy();
  expect([...container.querySelectorAll('path[stroke]')].map((path) => path.getAttribute('d')?.match(/[ML]/g))).toEqual(
    [
      ['M', 'L'],
      ['M', 'L'],
    ],
  );
});

test('behavior: it says that it loads, and what will be there when there is nothing', () => {
  const { rerender } = render(chart([], true));
  expect(screen.getByRole('status', { name: 'Loading Course of the value' })).toBeTruthy();
  rerender(chart([]));
  expect(screen.getByText(empty.title)).toBeTruthy();
});
