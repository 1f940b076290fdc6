import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { BrokenPage } from './error-boundary.tsx';

function Breaks(): never {
  throw Object.assign(new Error('x'), {
    status: 500,
    detail: 'Something failed.',
    request_id: 'req-7',
    code: 'INTERNAL',
  });
}

test('default: a page that breaks says why and gives the request id', () => {
  const silenced = jest.spyOn(console, 'error').mockReturnValue(undefined);
  const router = createMemoryRouter([{ path: '/', element: <Breaks />, errorElement: <BrokenPage /> }]);
  render(<RouterProvider router={router} />);
  expect(screen.getByRole('alert').textContent).toBe('Something failed.');
  expect(screen.getByText('req-7')).toBeTruthy();
  silenced.mockRestore();
});
