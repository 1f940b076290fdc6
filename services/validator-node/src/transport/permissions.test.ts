import { readFileSync } from 'node:fs';
import { devnetValidators } from '@castellan/devnet';
import { expect, test } from '@jest/globals';
import type { Hex } from 'viem';
import { validatorsConf } from './permissions.ts';

const networks = { network: 'castellan', namespace: 'castellan' };
const keys = devnetValidators.map(({ offchain }) => offchain.publicKey);

test('default: deploy/nats/validators.conf is the account before governance has named a validator', () => {
  const file = new URL('../../../../deploy/nats/validators.conf', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(validatorsConf(networks, []));
});

test('behavior: neither the order of the keys, nor a key named twice or in capitals, changes anything', () => {
  const capitals = `0x${keys[0]?.slice(2).toUpperCase()}` as Hex;
  expect(validatorsConf(networks, [...keys].reverse().concat(capitals))).toBe(validatorsConf(networks, keys));
});
