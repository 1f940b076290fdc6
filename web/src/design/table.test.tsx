import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { DataTable, type Sorting, sortedRows, type TableColumn } from './table.tsx';

type Row = { name: string; size: number | null };
const rows: Row[] = [
  { name: 'b', size: 1 },
  { name: 'none', size: null },
  { name: 'a', size: 3 },
  { name: 'c', size: 1 },
];
const columns: TableColumn<Row>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => name,
    sort: { compare: (left, right) => left.name.localeCompare(right.name) },
  },
  {
    id: 'size',
    header: 'Size',
    cell: ({ size }) => size,
    sort: {
      compare: (left, right) => (left.size ?? 0) - (right.size ?? 0),
      isMissing: ({ size }) => size === null,
      largestFirst: true,
    },
  },
  { id: 'open', header: () => <span>Open</span>, cell: () => '>' },
];
const names = (sorting: Sorting | undefined) => sortedRows(rows, columns, sorting).map(({ name }) => name);

describe('sorting', () => {
  test('default: a missing value stands last either way, equal rows as they were given', () => {
    expect(names({ id: 'size', desc: false })).toEqual(['b', 'c', 'a', 'none']);
    expect(names({ id: 'size', desc: true })).toEqual(['a', 'b', 'c', 'none']);
  });

  test('behavior: without an order, or by what is not there, rows stay as they were given', () => {
    const given = rows.map(({ name }) => name);
    for (const sorting of [undefined, { id: 'open', desc: true }, { id: 'x', desc: false }])
      expect(names(sorting)).toEqual(given);
  });

  test('behavior: a header begins with its own direction, and turns at each press', async () => {
    const asked: Sorting[] = [];
    function Sorted() {
      const [sorting, setSorting] = useState<Sorting>();
      const onSort = (next: Sorting) => {
        asked.push(next);
        setSorting(next);
      };
      return (
        <DataTable
          label="Rows"
          columns={columns}
          rows={rows}
          rowId={({ name }) => name}
          sorting={sorting}
          onSort={onSort}
        />
      );
    }
    render(<Sorted />);
    for (const name of ['Size', 'Size', 'Name'])
      await userEvent.click(screen.getByRole('button', { name: new RegExp(`^${name}`) }));
    expect(asked).toEqual([
      { id: 'size', desc: true },
      { id: 'size', desc: false },
      { id: 'name', desc: false },
    ]);
    expect(screen.getByRole('columnheader', { name: /^Name/ }).getAttribute('aria-sort')).toBe('ascending');
    expect(screen.getByRole('columnheader', { name: 'Open' }).getAttribute('aria-sort')).toBeNull();
  });
});
