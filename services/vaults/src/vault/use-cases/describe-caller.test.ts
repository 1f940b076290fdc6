import type { Caller } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { getAddress } from 'viem/utils';
import { describeCaller, verifyCaller } from './describe-caller.ts';

const [wallet, other, own, second, viewed] = [0xa1, 0xb2, 1, 2, 3].map(anAddress) as [
  string,
  string,
  string,
  string,
  string,
];
const chain_id = 31337;

const appointed = (manager: string) => ({ wallet: manager.toLowerCase(), grantedBy: null, grantedAt: '' });
const managed = (vault_address: string, created_block: number, primary: string, secondary: string[]) => ({
  chain_id,
  detail: { vault_address, created_block },
  managers: { primary: appointed(primary), secondary: secondary.map(appointed) },
});
const grantOf = (vault: string) => ({ chainId: chain_id, vault: vault.toLowerCase() });

const ports = {
  snapshots: { managedBy: async () => [managed(second, 9, other, [wallet]), managed(own, 5, wallet, [])] },
  directory: { viewableBy: async () => [grantOf(viewed), grantOf(own)] },
} as unknown as Parameters<typeof describeCaller>[0];

const callerOf = (parts: Partial<Caller> = {}): Caller => ({
  wallet_address: wallet,
  sid: 's',
  issuer: 'test',
  ...parts,
});
const all = [
  { chain_id, vault_address: own, role: 'primary_manager' },
  { chain_id, vault_address: second, role: 'secondary_manager' },
  { chain_id, vault_address: viewed, role: 'view_only' },
];

test('default: what the wallet manages, then what it views; a manager is no viewer besides', async () => {
  expect(await describeCaller(ports)(callerOf())).toEqual({
    wallet_address: getAddress(wallet),
    is_manager: true,
    vaults: all,
  });
  expect(await verifyCaller(ports)(callerOf())).toEqual({
    verified: true,
    walletAddress: getAddress(wallet),
    isManager: true,
    vaults: [own, second, viewed],
  });
});

test.each([
  ['one it views', viewed, { is_manager: false, vaults: [all[2]] }],
  ['one it manages', own, { is_manager: true, vaults: [all[0]] }],
  ['one where it has no role', anAddress(4), { is_manager: false, vaults: [] }],
])('behavior: a token bound to %s has its role there and none elsewhere', async (_which, vault_address, shown) => {
  expect(await describeCaller(ports)(callerOf({ vault: { chain_id, vault_address } }))).toMatchObject(shown);
});

test('behavior: a contract has the roles of the chain where it is proven', async () => {
  expect(await describeCaller(ports)(callerOf({ chain_id }))).toMatchObject({ is_manager: true, vaults: all });
  expect(await describeCaller(ports)(callerOf({ chain_id: 8453 }))).toMatchObject({ is_manager: false, vaults: [] });
});

test('error: TOKEN_MISSING without a caller', async () => {
  await expect(describeCaller(ports)(undefined)).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
});
