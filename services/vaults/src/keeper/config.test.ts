import { expect, test } from '@jest/globals';
import { loadConfig } from './config.ts';

const environment = {
  CHAINS: JSON.stringify([{ chain_id: 1, rpc_urls: ['http://127.0.0.1:1'] }]),
  KEEPER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
};
const vaultsOf = (KEEPER_VAULTS: string) => loadConfig({ ...environment, KEEPER_VAULTS }).keeper.vaults;
const [first, second] = [`0x${'aB'.repeat(20)}`, `0x${'2'.repeat(40)}`];

test('default: every vault the key manages is served', () => {
  expect(vaultsOf('').size).toBe(0);
});

test('behavior: vaults are named by chain and address, in whatever case', () => {
  expect([...vaultsOf(`1:${first}, 10:${second},`)]).toEqual([`1:${first.toLowerCase()}`, `10:${second}`]);
});

test('error: what is no vault is refused before anything starts', () => {
  for (const text of [first, `1:${first.slice(0, -1)}`, `x:${second}`])
    expect(() => vaultsOf(text)).toThrow(/KEEPER_VAULTS.*chain_id:address/);
});
