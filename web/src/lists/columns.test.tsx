import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
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

test('behavior: chosen columns are shown on every screen, kept on the device, and given back to the screen', async () => {
  localStorage.clear();
  const { unmount } = render(<Table />);
  expect(heads()).toEqual(['Name', 'Size', 'Gas']);
  expect(screen.getByRole('columnheader', { name: 'Gas' }).className).toContain('hidden');
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }));
  expect(screen.queryByRole('checkbox', { name: 'Name' })).toBeNull();
  await userEvent.click(screen.getByRole('checkbox', { name: 'Size' }));
  expect(heads()).toEqual(['Name', 'Gas']);
  expect(screen.getByRole('columnheader', { name: 'Gas' }).className).not.toContain('hidden');
  unmount();
  render(<Table />);
  expect(heads()).toEqual(['Name', 'Gas']);
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }));
  await userEvent.click(screen.getByRole('button', { name: 'As the screen allows' }));
  expect(heads()).toEqual(['Name', 'Size', 'Gas']);
  expect(localStorage.getItem('test_columns')).toBeNull();
});
