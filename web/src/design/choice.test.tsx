import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { Choice } from './choice.tsx';

const options = [
  { value: 'a', label: 'Ada' },
  { value: 'b', label: 'Bo' },
];
const open = (value: string) => {
  const onChange = jest.fn((_: string) => undefined);
  render(<Choice label="Person" value={value} options={options} onChange={onChange} />);
  const list = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Person' });
  return { list, onChange, shown: () => list.selectedOptions[0]?.textContent };
};

test('default: the option of the value is shown, and nothing is offered besides the options', async () => {
  const { list, shown, onChange } = open('b');
  expect([shown(), list.options.length]).toEqual(['Bo', 2]);
  await userEvent.selectOptions(list, 'Ada');
  expect(onChange.mock.calls).toEqual([['a']]);
});

test('behavior: a value that is none of the options is not shown as the first of them, which can be chosen then', async () => {
  const { list, shown, onChange } = open('gone');
  expect(shown()).toBe('Choose one');
  expect(list.selectedOptions[0]?.disabled).toBe(true);
  await userEvent.selectOptions(list, 'Ada');
  expect(onChange.mock.calls).toEqual([['a']]);
});
