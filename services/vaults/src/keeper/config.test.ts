import { expect, test } from '@jest/globals';
import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { loadConfig, settingsOn } from './config.ts';
import { signersOf } from './key.ts';

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

const { KEEPER_PRIVATE_KEY: _key, ...withoutKey } = environment;
const own = (list: unknown, more: Record<string, string> = withoutKey) =>
  loadConfig({ ...more, KEEPER_CHAINS: typeof list === 'string' ? list : JSON.stringify(list) });

test('behavior: a chain has a key and a limit of its own; what it leaves out is that of all', () => {
  const config = own([
    { chain_id: 1, kms_key: 'aws-kms:alias/keeper', max_fee_gwei: '40' },
    { chain_id: 8453, keystore_file: '/keys/base.json', unlock_file: '/keys/unlock' },
  ]);
  const { key, ofChains } = config;
  expect(key).toBeUndefined();
  expect(ofChains.get(1)).toEqual({ key: { kmsKey: 'aws-kms:alias/keeper' }, maxFee: 40_000_000_000n });
  expect(ofChains.get(8453)).toEqual({
    key: { file: '/keys/base.json', unlockFile: '/keys/unlock' },
    maxFee: undefined,
  });
  expect([1, 8453].map((id) => settingsOn(config, id).maxFee)).toEqual([40_000_000_000n, 100_000_000_000n]);
  expect(settingsOn(config, 1).maxGas).toBe(5_000_000n);
  expect(loadConfig({ ...withoutKey, KEEPER_KMS_KEY: 'aws-kms:alias/keeper' }).key).toEqual({
    kmsKey: 'aws-kms:alias/keeper',
  });
});

test.each<[string, unknown, RegExp]>([
  ['no JSON', '1:key', /KEEPER_CHAINS: must be a JSON list/],
  ['a key in the clear', [{ chain_id: 1, private_key: '0x01' }], /KEEPER_CHAINS.*private_key/],
  [
    'a key of no service',
    [{ chain_id: 1, kms_key: 'alias/keeper' }],
    /must name a key service and the name of the key/,
  ],
  ['a chain twice', [{ chain_id: 1 }, { chain_id: 1 }], /names the chain 1 twice/],
  ['two keys', [{ chain_id: 1, kms_key: 'aws-kms:k', keystore_file: 'f', unlock_file: 'u' }], /not both/],
  ['half a keystore', [{ chain_id: 1, unlock_file: 'u' }], /keystore_file and unlock_file together/],
  ['a chain without any', [{ chain_id: 10, kms_key: 'aws-kms:k' }], /is required for the chain 1 /],
])('error: %s', (_, list, message) => {
  expect(() => own(list)).toThrow(message);
});

test('error: two keys for all', () => {
  expect(() => loadConfig({ ...environment, KEEPER_KMS_KEY: 'aws-kms:k' })).toThrow(/or KEEPER_PRIVATE_KEY, not both/);
});

test('behavior: a chain is signed for by its own key, else by that of all; without any it is not kept', async () => {
  const [common, base] = (['11', '22'] as const).map((byte) => `0x${byte.repeat(32)}` as const) as [Hex, Hex];
  const ofChains = new Map([
    [8453, { key: { privateKey: base } }],
    [1, { key: undefined }],
  ]);
  const signerOn = await signersOf({ privateKey: common }, ofChains);
  expect([8453, 1, 10].map((id) => signerOn(id).address)).toEqual([base, common, common].map(privateKeyToAddress));
  const ownOnly = await signersOf(undefined, ofChains);
  expect(() => ownOnly(1)).toThrow('no key for the chain 1');
});
