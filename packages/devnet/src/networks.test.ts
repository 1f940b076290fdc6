import { expect, test } from '@jest/globals';
import { devnetNetworkOf, devnetNetworks } from './networks.ts';

test('default: chains differ in id, slug and name, and no two vaults share a name or a symbol', () => {
  const vaults = devnetNetworks.flatMap((network) => network.vaults);
  for (const names of [
    devnetNetworks.map(({ chainId }) => `${chainId}`),
    devnetNetworks.map(({ slug }) => slug),
    devnetNetworks.map(({ name }) => name),
    vaults.map(({ name }) => name),
    vaults.map(({ symbol }) => symbol),
  ])
    expect(new Set(names).size).toBe(names.length);
  expect(devnetNetworkOf(31338).vaults).toHaveLength(2);
});

test('error: a chain that the devnet does not have is refused with those it has', () => {
  expect(() => devnetNetworkOf(1)).toThrow('The devnet has no chain 1; it has 31337, 31338.');
});
