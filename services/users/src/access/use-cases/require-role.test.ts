import { expect, test } from '@jest/globals';
import type { AccessCollections } from '../models/collections.ts';
import { forRole, needs } from './require-role.ts';

const [vault, primary, viewer, stranger] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
];
const params = { chain_id: 1, vault_address: vault };
const collections = {
  grants: { findOne: async ({ wallet }: { wallet: string }) => (wallet === viewer ? {} : null) },
} as unknown as AccessCollections;
const callOf = (wallet_address?: string) =>
  ({
    caller: wallet_address && { wallet_address },
    callAction: async () => ({ ...params, primary: { wallet_address: primary }, secondary: [] }),
  }) as never;

test('behavior: who asks together shares one read, and everybody is asked for a role of their own', async () => {
  let reads = 0;
  const read = forRole(collections, needs.anyRole, async ({ chain_id }: typeof params) => {
    reads += 1;
    return chain_id;
  });
  const answers = await Promise.allSettled(
    [primary, stranger, viewer, undefined].map((wallet) => read(params, callOf(wallet))),
  );
  const refused = { reason: { code: 'ROLE_REQUIRED' } };
  expect(answers).toMatchObject([{ value: 1 }, refused, { value: 1 }, refused]);
  expect(reads).toBe(1);
});
