import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { presentPath } from './pages.ts';

test('default: the shorter address of a vault is its page here', () => {
  expect(presentPath('/vaults/devnet/0xAb')).toBe('/managed-vaults/devnet/0xAb');
  expect(presentPath('/vaults/devnet/0xAb/')).toBe('/managed-vaults/devnet/0xAb');
});

test.each(['/', '/vaults', '/vaults/devnet', '/vaults/devnet/0xAb/risk', '/managed-vaults/devnet/0xAb', '/operate'])(
  'behavior: %s stays as it is',
  (path) => {
    expect(presentPath(path)).toBe(path);
  },
);
