import { AppError } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import type { Session } from '../domain/session.ts';
import { endTokensOfVault } from './end-tokens-of-vault.ts';

const vault = { chain_id: 1, vault_address: '0x00000000000000000000000000000000000000A1' };
const at = new Date('2026-01-01T00:00:00Z');

const aToken = (sid: string, wallet: string): Session => ({
  sid,
  wallet,
  chainId: null,
  kind: 'token',
  name: sid,
  scope: 'read',
  vault,
  parent: 'parent',
  authTime: at,
  issuedAt: at,
  expiresAt: new Date(at.getTime() + 1000),
  revokedAt: null,
});

const endingWith = (tokens: Session[], rolesOf: (wallet: string) => Promise<(typeof vault)[]>) => {
  const ended: unknown[] = [];
  const ports = {
    sessions: {
      find: async (sid: string) => tokens.find((token) => token.sid === sid),
      listLiveTokensOf: async () => tokens,
      end: async (sid: string, _at: Date, reason?: string) => void ended.push([sid, reason]),
    },
    now: () => at.getTime(),
    issuer: 'test',
  };
  const roles = async (wallet: string) =>
    (await rolesOf(wallet)).map((one) => ({ ...one, role: 'view_only' as const }));
  return { ended, end: () => endTokensOfVault(ports, roles, vault) };
};

test('default: tokens of those who have no role there end, whatever roles they have elsewhere', async () => {
  const elsewhere = { ...vault, chain_id: 2 };
  const tokens = [aToken('a1', 'A'), aToken('b1', 'B'), aToken('a2', 'A')];
  const { ended, end } = endingWith(tokens, async (wallet) => (wallet === 'B' ? [vault] : [elsewhere]));
  await end();
  expect(ended).toEqual([
    ['a1', 'role_ended'],
    ['a2', 'role_ended'],
  ]);
});

test('error: while nobody can say who has a role, nothing ends', async () => {
  const away = new AppError('SERVICE_UNAVAILABLE', 'away');
  const { ended, end } = endingWith([aToken('a1', 'A')], () => Promise.reject(away));
  await expect(end()).rejects.toBe(away);
  expect(ended).toEqual([]);
});
