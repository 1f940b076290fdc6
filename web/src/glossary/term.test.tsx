import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Figure, Figures } from '../design/card.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { Term } from './term.tsx';

const mark = /^The price above which gains pay/;

test('default: a label of the glossary says its meaning when it is reached by keyboard; Escape closes it', async () => {
  render(<Term>High-water mark</Term>);
  await userEvent.tab();
  const tooltip = await screen.findByRole('tooltip');
  expect(tooltip.textContent).toMatch(mark);
  const trigger = screen.getByRole('button', { name: 'High-water mark' });
  const described = trigger.getAttribute('aria-describedby') ?? '';
  expect(document.getElementById(described)?.textContent).toMatch(mark);
  expect(tooltip.contains(document.getElementById(described))).toBe(true);
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('tooltip')).toBeNull();
});

test('behavior: by pointer, and by a press', async () => {
  render(<Term>High-water mark</Term>);
  await userEvent.hover(screen.getByRole('button'));
  expect((await screen.findByRole('tooltip')).textContent).toMatch(mark);
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('tooltip')).toBeNull();
  await userEvent.click(screen.getByRole('button'));
  expect((await screen.findByRole('tooltip')).textContent).toMatch(mark);
});

test('behavior: a label that the glossary does not know is text', () => {
  const { container } = render(<Term>Vault</Term>);
  expect(container.innerHTML).toBe('Vault');
});

test('behavior: figures and tables explain their labels, and are named by them alone', () => {
  render(
    <>
      <Figures>
        <Figure label="Upkeep balance" value="1" />
      </Figures>
      <PlainTable label="Sources" head={['Source', 'HHI points']} rows={[]} />
    </>,
  );
  expect(screen.getByRole('term').textContent).toBe('Upkeep balance');
  expect(screen.getByRole('button', { name: 'Upkeep balance' })).toBeTruthy();
  expect(screen.getByRole('columnheader', { name: 'HHI points' })).toBeTruthy();
  expect(screen.getAllByRole('button')).toHaveLength(2);
});
