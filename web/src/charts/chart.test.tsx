import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Chart } from './chart.tsx';
import type { ChartProps } from './types.ts';
import { price } from './units.ts';

const at = (minute: number) => Date.UTC(2026, 0, 1, 12, minute);
const given: ChartProps = {
  title: 'Price per share',
  takeaway: 'The price rose by 0.02%.',
  unit: price('USDC', 6),
  series: [
    {
      id: 'net',
      name: 'Net',
      kind: 'step',
      points: [
        [at(0), 1.0001, '1.000100000000000001'],
        [at(1), null],
        [at(3), 1.0003],
      ],
    },
    { id: 'gross', name: 'Gross', kind: 'step', points: [[at(0), 1.0002]] },
  ],
  markers: [{ id: 'skim', x: at(3), label: 'Skim' }],
  fileName: 'price',
  empty: { title: 'No price yet', detail: 'Appears after the first report.' },
};

describe('Chart', () => {
  test('default: title, takeaway, range in words, and a text that says what is drawn', () => {
    render(<Chart {...given} intervalSeconds={60} />);
    expect(screen.getByRole('figure', { name: 'Price per share' })).toBeTruthy();
    expect(screen.getByText('The price rose by 0.02%.')).toBeTruthy();
    expect(screen.getByText(/1 Jan 2026, 12:00 UTC to 1 Jan 2026, 12:03 UTC · 1 point = 1 min/)).toBeTruthy();
    const hint = document.getElementById(screen.getByRole('application').getAttribute('aria-describedby') ?? '');
    expect(hint?.textContent).toContain(
      'Net (step line): 2 values, 1 missing, from 1.000100 USDC to 1.000300 USDC, last 1.000300 USDC.',
    );
  });

  test('behavior: what a point stands for is left out where all of the data is shorter', () => {
    render(<Chart {...given} intervalSeconds={14_400} />);
    expect(screen.getByText('1 Jan 2026, 12:00 UTC to 1 Jan 2026, 12:03 UTC')).toBeTruthy();
  });

  test('behavior: arrow keys move the crosshair and announce the values; Escape takes it away', async () => {
    render(<Chart {...given} />);
    const chart = screen.getByRole('application');
    const announced = () => chart.parentElement?.querySelector('[aria-live="polite"]')?.textContent;
    const user = userEvent.setup();
    await user.tab();
    await user.tab();
    await user.tab();
    await user.tab();
    expect(document.activeElement).toBe(chart);
    await user.keyboard('{ArrowLeft}');
    expect(announced()).toBe('1 Jan 2026, 12:03 UTC, Net 1.000300 USDC, Gross 1.000200 USDC, Skim');
    await user.keyboard('{ArrowLeft}');
    expect(announced()).toContain('Net no value');
    await user.keyboard('{Home}');
    expect(announced()).toContain('12:00 UTC, Net 1.000100 USDC');
    await user.keyboard('{Escape}');
    expect(announced()).toBe('');
  });

  test('behavior: the table holds the same data, newest first, gaps as such, events by their time', async () => {
    render(<Chart {...given} />);
    await userEvent.click(screen.getByRole('button', { name: 'Show Price per share as a table' }));
    const rows = within(screen.getByRole('table')).getAllByRole('row');
    expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
      ['Time', 'Net', 'Gross', 'Event'],
      ['1 Jan 2026, 12:03 UTC', '1.000300 USDC', '—', 'Skim'],
      ['1 Jan 2026, 12:01 UTC', '—', '—', ''],
      ['1 Jan 2026, 12:00 UTC', '1.000100 USDC', '1.000200 USDC', ''],
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'Show Price per share as a chart' }));
    expect(screen.getByRole('application')).toBeTruthy();
  });

  test('behavior: charts of one group share the crosshair, and only the moved one speaks', async () => {
    render(
      <>
        <Chart {...given} group="pricing" />
        <Chart {...given} title="Other" group="pricing" />
      </>,
    );
    const [first] = screen.getAllByRole('application');
    first?.focus();
    await userEvent.keyboard('{End}');
    const spoken = [...document.querySelectorAll('[aria-live="polite"]')].map(({ textContent }) => textContent);
    expect(spoken.filter((text) => text !== '')).toHaveLength(1);
  });

  test('behavior: loading, empty and failed keep the size and say what is the matter', async () => {
    const retry = jest.fn();
    const series: ChartProps['series'] = [];
    const { rerender } = render(<Chart {...given} series={series} isLoading />);
    expect(screen.getByRole('status', { name: 'Loading Price per share' })).toBeTruthy();
    rerender(<Chart {...given} series={series} />);
    expect(screen.getByText('Appears after the first report.')).toBeTruthy();
    const error = Object.assign(new Error('x'), { status: 503, detail: 'Indexing.', request_id: 'r-9' });
    rerender(<Chart {...given} series={series} error={error} onRetry={retry} />);
    expect(screen.getByRole('alert').textContent).toContain('r-9');
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(retry).toHaveBeenCalledTimes(1);
  });

  test('behavior: a failed update keeps the drawing and says that it is old', () => {
    const error = Object.assign(new Error('x'), { status: 503, detail: 'Indexing.' });
    const again = jest.fn();
    render(<Chart {...given} error={error} readAt={Date.now() - 180_000} onRetry={again} />);
    expect(screen.getByRole('application')).toBeTruthy();
    expect(screen.getByRole('status').textContent).toMatch(
      /^Price per share: last read 3 m( \d+ s)? ago, not updated since\. Indexing\./,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(again).toHaveBeenCalledTimes(1);
  });
});
