import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { BrokenPage, ErrorBoundary } from './error-boundary.tsx';

function Breaks(): never {
  throw Object.assign(new Error('x'), {
    status: 500,
    detail: 'Something failed.',
    request_id: 'req-7',
    code: 'INTERNAL',
  });
}

const page = (where: string, isBroken: boolean) => (
  <ErrorBoundary where={where} fallback={(error) => <BrokenPage error={error} />}>
    {isBroken ? <Breaks /> : <p>all well</p>}
  </ErrorBoundary>
);

test('default: a page that breaks says why and gives the request id; the next page is tried anew', () => {
  const silenced = jest.spyOn(console, 'error').mockReturnValue(undefined);
  const { rerender } = render(page('/a', true));
  expect(screen.getByRole('alert').textContent).toBe('Something failed.');
  expect(screen.getByText('req-7')).toBeTruthy();
  rerender(page('/a', false));
  expect(screen.queryByText('all well')).toBeNull();
  rerender(page('/b', false));
  expect(screen.getByText('all well')).toBeTruthy();
  silenced.mockRestore();
});
