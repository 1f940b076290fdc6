import '../../test/browser.ts';
import { afterEach, expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useColumns } from './columns.tsx';
import { type RowsColumn, RowsTable } from './rows-table.tsx';

const columns: RowsColumn<string>[] = [
  { id: 'name', header: 'Name', cell: (row) => row },
  { id: 'size', header: 'Size', cell: () => '1' },
  { id: 'gas', header: 'Gas', cell: () => '2', className: 'hidden md:table-cell' },
];

function Table() {
  const { shown, chooser } = useColumns('test_columns', columns);
  return (
    <>
      {chooser}
      <RowsTable label="Rows" columns={shown} rows={['a']} rowId={(row) => row} />
    </>
  );
}

const heads = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent);

const wide = window.matchMedia;
afterEach(() => {
  window.matchMedia = wide;
});

/** A screen of so many rem. */
const screenOf = (width: number) => {
  window.matchMedia = ((query: string) => ({
    matches: width >= Number(/min-width: (\d+)rem/.exec(query)?.[1]),
  })) as unknown as typeof wide;
};

const open = () => userEvent.click(screen.getByRole('button', { name: 'Columns' }));
const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });

test('behavior: chosen columns are shown on every screen, kept on the device, and given back to the screen', async () => {
  localStorage.clear();
  screenOf(60);
  const { unmount } = render(<Table />);
  expect(heads()).toEqual(['Name', 'Size', 'Gas']);
  expect(screen.getByRole('columnheader', { name: 'Gas' }).className).toContain('hidden');
  await open();
  expect(screen.queryByRole('checkbox', { name: 'Name' })).toBeNull();
  await userEvent.click(box('Size'));
  expect(heads()).toEqual(['Name', 'Gas']);
  expect(screen.getByRole('columnheader', { name: 'Gas' }).className).not.toContain('hidden');
  unmount();
  render(<Table />);
  expect(heads()).toEqual(['Name', 'Gas']);
  await open();
  await userEvent.click(screen.getByRole('button', { name: 'As the screen allows' }));
  expect(heads()).toEqual(['Name', 'Size', 'Gas']);
  expect(localStorage.getItem('test_columns')).toBeNull();
});

test('behavior: until one chooses, those are ticked that the screen has room for, and the others stay away', async () => {
  localStorage.clear();
  screenOf(30);
  render(<Table />);
  await open();
  expect([box('Size').checked, box('Gas').checked]).toEqual([true, false]);
  await userEvent.click(box('Size'));
  expect(heads()).toEqual(['Name']);
  await userEvent.click(box('Gas'));
  expect(heads()).toEqual(['Name', 'Gas']);
});
