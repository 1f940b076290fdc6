import { expect, test } from '@jest/globals';
import { type Address, type Hex, toFunctionSelector } from 'viem';
import { type ScriptedChain, scriptedClient } from '../scripted-rpc.fixture.ts';
import { readVaultState } from './read-vault-state.ts';
import { addresses, aVaultChain, named } from './vault-chain.fixture.ts';

const { asset, farming, lending, manager, upkeepToken } = named;

/** What was asked of tokens, sources and feeds that never changes, with how often. */
const asked = (chain: ScriptedChain) => {
  const facts = ['name', 'symbol', 'decimals'] as const;
  const selectors = new Map(facts.map((name) => [toFunctionSelector(`${name}()`), name]));
  const counts: Record<string, number> = {};
  for (const { method, params } of chain.requests) {
    const { to, data } = Object(params[0]) as { to?: Address; data?: Hex };
    const fact = method === 'eth_getCode' ? 'code' : selectors.get(data?.slice(0, 10) as Hex);
    const key = `${fact} ${to ?? params[0]}`.toLowerCase();
    if (fact !== undefined && to !== addresses.vault) counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};
const once = {
  ...{ [`name ${asset}`]: 1, [`symbol ${asset}`]: 1, [`decimals ${asset}`]: 1 },
  ...{ [`name ${upkeepToken}`]: 1, [`symbol ${upkeepToken}`]: 1, [`decimals ${upkeepToken}`]: 1 },
  ...{ [`name ${lending}`]: 1, [`decimals ${addresses.priceFeed}`]: 1, [`code ${manager}`]: 1 },
};

test('default: is read once for each address, over vaults and blocks, and once more after a start', async () => {
  const chain = aVaultChain();
  chain.codes[manager.toLowerCase()] = '0x6001';
  for (const client of [scriptedClient(chain), scriptedClient(chain)]) {
    chain.requests.length = 0;
    await Promise.all([readVaultState(client, addresses, 500n), readVaultState(client, addresses, 500n)]);
    for (const block of [501n, 502n]) await readVaultState(client, addresses, block);
    // The second source has no name: it may get one.
    expect(asked(chain)).toEqual({ ...once, [`name ${farming}`]: 3 });
  }
});

test('behavior: at an earlier block, what was not there, and a wallet that may delegate are read again', async () => {
  const chain = aVaultChain();
  const client = scriptedClient(chain);
  await readVaultState(client, addresses, 500n);
  chain.codes[manager.toLowerCase()] = '0x6001';
  expect((await readVaultState(client, addresses, 501n)).primaryManagerKind).toBe('contract');
  expect(asked(chain)).toMatchObject({ [`code ${manager}`]: 2, [`decimals ${asset}`]: 1 });
  await readVaultState(client, addresses, 499n);
  expect(asked(chain)).toMatchObject({ [`code ${manager}`]: 3, [`decimals ${asset}`]: 2 });
});
