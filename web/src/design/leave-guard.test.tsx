import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { act, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { BrowserRouter, Link, Route, Routes } from 'react-router';
import { LeaveGuard } from './leave-guard.tsx';

function open(isDirty: boolean, others: readonly string[] = []) {
  window.history.replaceState(null, '', '/start');
  const page = (dirty: boolean) => (
    <BrowserRouter>
      <Routes>
        <Route path="/start" element={<Link to="/edit">Edit</Link>} />
        <Route
          path="/edit"
          element={
            <>
              <LeaveGuard isDirty={dirty} what="this strategy" />
              {others.map((what) => (
                <LeaveGuard key={what} isDirty={dirty} what={what} />
              ))}
              <Link to="/start">All strategies</Link>
              <Link to="/edit?as=text">As text</Link>
            </>
          }
        />
      </Routes>
    </BrowserRouter>
  );
  const view = render(page(false));
  return { become: () => view.rerender(page(isDirty)) };
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const unload = () => {
  const event = new Event('beforeunload', { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
};

test('default: a link out of an editor with changes asks; Stay stays, and leaving leaves', async () => {
  const { become } = open(true);
  await userEvent.click(screen.getByRole('link', { name: 'Edit' }));
  become();
  expect(unload()).toBe(true);
  await userEvent.click(screen.getByRole('link', { name: 'All strategies' }));
  expect(screen.getByRole('dialog', { name: 'Leave without saving?' }).textContent).toContain('this strategy');
  await press('Stay');
  expect(window.location.pathname).toBe('/edit');
  await userEvent.click(screen.getByRole('link', { name: 'All strategies' }));
  await press('Leave and lose it');
  expect(window.location.pathname).toBe('/start');
});

test('behavior: without changes nothing asks', async () => {
  const { become } = open(false);
  await userEvent.click(screen.getByRole('link', { name: 'Edit' }));
  become();
  expect(unload()).toBe(false);
  await userEvent.click(screen.getByRole('link', { name: 'All strategies' }));
  expect(window.location.pathname).toBe('/start');
});

test('behavior: Back asks too, and comes back to the editor meanwhile', async () => {
  const { become } = open(true);
  await userEvent.click(screen.getByRole('link', { name: 'Edit' }));
  become();
  act(() => window.history.back());
  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy();
  await waitFor(() => expect(window.location.pathname).toBe('/edit'));
  await press('Leave and lose it');
  await screen.findByRole('link', { name: 'Edit' });
  expect(window.location.pathname).toBe('/start');
});

test('behavior: of several forms one asks for all, also on Back', async () => {
  const { become } = open(true, ['the rota']);
  await userEvent.click(screen.getByRole('link', { name: 'Edit' }));
  become();
  act(() => window.history.back());
  const dialog = await screen.findByRole('dialog', { name: 'Leave without saving?' });
  expect(dialog.textContent).toContain('this strategy and the rota is not saved');
  await waitFor(() => expect(window.location.pathname).toBe('/edit'));
  await press('Leave and lose it');
  await screen.findByRole('link', { name: 'Edit' });
  expect([window.location.pathname, screen.queryByRole('dialog')]).toEqual(['/start', null]);
});

test('behavior: a form that stays on the page it was left to asks at the next step too', async () => {
  const { become } = open(true);
  await userEvent.click(screen.getByRole('link', { name: 'Edit' }));
  become();
  await userEvent.click(screen.getByRole('link', { name: 'As text' }));
  await press('Leave and lose it');
  expect(window.location.search).toBe('?as=text');
  await userEvent.click(screen.getByRole('link', { name: 'All strategies' }));
  expect(screen.getByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy();
  expect(window.location.pathname).toBe('/edit');
});
