import { expect, test } from '@jest/globals';
import { isProvenOn, isUnbound, isWithinBinding } from './sessions.ts';

const vault_address = '0x00000000000000000000000000000000000000A1';
const vault = { chain_id: 1, vault_address };

test.each([
  ['the public', undefined, true],
  ['a wallet proven by its key', {}, true],
  ['a contract on its chain', { chain_id: 1 }, true],
  ['a contract on another chain', { chain_id: 8453 }, false],
  ['a token for this vault', { vault }, true],
  [
    'a token for another vault',
    { vault: { ...vault, vault_address: '0x00000000000000000000000000000000000000A2' } },
    false,
  ],
  ['a token for this address on another chain', { vault: { ...vault, chain_id: 8453 } }, false],
  ['a token for this vault, of a contract on its chain', { vault, chain_id: 1 }, true],
  ['a token for this vault, of a contract on another chain', { vault, chain_id: 8453 }, false],
])('behavior: %s counts on the vault: %s', (_who, caller, counts) => {
  expect(isWithinBinding(caller, vault)).toBe(counts);
});

test('behavior: only who is bound to no vault and no chain is unbound', () => {
  expect([undefined, {}, { vault }, { chain_id: 1 }].map(isUnbound)).toEqual([true, true, false, false]);
  expect([{}, { chain_id: 1 }, { chain_id: 8453 }].map((caller) => isProvenOn(caller, 1))).toEqual([true, true, false]);
});
