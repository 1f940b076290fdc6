import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import { rebased, useBegun } from './use-begun.ts';

type Thing = { version: number; name: string; limits: { low: string; high: string } };
const first: Thing = { version: 1, name: 'A', limits: { low: '1', high: '9' } };
const draftOf = ({ name, limits }: Thing) => ({ name, limits });
const begin = () => {
  const { result, rerender } = renderHook((now: Thing) => useBegun(now, ({ version }) => version, draftOf), {
    initialProps: first,
  });
  const form = () => result.current;
  return { form, rerender, type: (name: string) => act(() => form().change({ ...form().draft, name })) };
};
const second: Thing = { version: 2, name: 'A', limits: { low: '2', high: '9' } };

test('default: what nobody typed over follows the other beginning, part by part', () => {
  const typed = { name: 'mine', limits: { low: '1', high: '8' }, people: ['x', 'y'] };
  const from = { name: 'A', limits: { low: '1', high: '9' }, people: ['x'] };
  const onto = { name: 'B', limits: { low: '2', high: '7' }, people: ['z'] };
  expect(rebased(typed, from, onto)).toEqual({ name: 'mine', limits: { low: '2', high: '8' }, people: ['x', 'y'] });
});

describe('a form over what others may change', () => {
  test('behavior: follows by itself while nothing is typed', () => {
    const { form, rerender } = begin();
    rerender(second);
    expect(form()).toMatchObject({ begun: second, draft: draftOf(second), isOutdated: false });
  });

  test('behavior: keeps what was typed and what it was typed over, until it is decided', () => {
    const { form, rerender, type } = begin();
    type('mine');
    rerender(second);
    expect(form()).toMatchObject({ begun: first, draft: { name: 'mine', limits: first.limits }, isOutdated: true });
    act(() => form().keepMine());
    expect(form()).toMatchObject({
      begun: second,
      draft: { name: 'mine', limits: second.limits },
      isOutdated: false,
    });
    rerender({ ...second, version: 3 });
    act(() => form().takeTheirs());
    expect(form()).toMatchObject({ draft: draftOf(second), isOutdated: false });
  });

  test('behavior: the own save is nobody else’s, and what is typed after it stays', () => {
    const { form, rerender, type } = begin();
    type('mine');
    act(() => form().saved(2));
    type('mine, again');
    rerender({ ...second, name: 'mine' });
    expect(form()).toMatchObject({ begun: { version: 2 }, draft: { name: 'mine, again' }, isOutdated: false });
  });
});
