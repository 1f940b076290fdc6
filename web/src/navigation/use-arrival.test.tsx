import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter, type NavigateOptions, type To, useNavigate } from 'react-router';
import { useArrival } from './use-arrival.ts';

const wrapper = ({ children }: { children: ReactNode }) => (
  <MemoryRouter initialEntries={['/users#add-manager']}>{children}</MemoryRouter>
);

test('behavior: an anchor is arrived at anew each time, and not by what a page writes into its address', () => {
  const { result } = renderHook(() => ({ arrival: useArrival(), navigate: useNavigate() }), { wrapper });
  const go = (to: To, options?: NavigateOptions) => act(() => void result.current.navigate(to, options));
  const first = result.current.arrival;
  expect(first.anchor).toBe('add-manager');
  go({ search: '?tab=grants', hash: '#add-manager' }, { replace: true });
  expect(result.current.arrival.anchor).toBeUndefined();
  go('/users#add-manager');
  expect(result.current.arrival).toMatchObject({ anchor: 'add-manager' });
  expect(result.current.arrival.key).not.toBe(first.key);
  go('/users');
  expect(result.current.arrival.anchor).toBeUndefined();
});
