import { type Caller, CreateToken, RevokeSession } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import type { SessionDocument } from '../src/models/session.ts';
import { other } from './harness.ts';
import {
  ask,
  callerOf,
  claimsOf,
  forSessions,
  makeToken,
  newPerson,
  proofOf,
  sessionsOf,
  signedIn,
  world,
} from './session-scene.ts';

/** Sessions of a contract wallet, which is proven on one chain: of the same address on another one others may be the owners. */

forSessions();

const sessions = () => world().auth.context.mongo.collection<SessionDocument>('sessions');
/** A sign-in as a contract on the chain would have begun it. */
async function signedInOn(chain_id: number, account = newPerson()): Promise<Caller> {
  const { caller } = await signedIn(account);
  await sessions().updateOne({ _id: caller.sid }, { $set: { chain_id } });
  return { ...caller, chain_id };
}
const here = { chain_id: 31337, vault_address: other.address };
const documentOf = (caller: Caller, _id: string, parts: Partial<SessionDocument>): SessionDocument => ({
  _id,
  wallet_address: caller.wallet_address.toLowerCase(),
  issued_at: new Date(Date.now() - 60_000),
  expires_at: new Date(Date.now() + 600_000),
  ...parts,
});

test('default: tokens made from it are for its chain too, and for vaults of no other', async () => {
  const caller = await signedInOn(8453);
  const { access_token, session } = await makeToken(caller);
  expect((await claimsOf(access_token)).castellan_chain).toBe(8453);
  expect(await sessions().findOne({ _id: session.id })).toMatchObject({ chain_id: 8453 });
  await expect(makeToken(caller, { vault: here })).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' });
  expect((await makeToken(await signedInOn(31337), { vault: here })).session.vault).toEqual(here);
});

test('error: a gateway of before, which passes on no chain, makes it no wider', async () => {
  const { chain_id, ...caller } = await signedInOn(8453);
  expect(chain_id).toBe(8453);
  expect(await callerOf((await makeToken(caller)).access_token)).toMatchObject({ chain_id: 8453 });
  await expect(makeToken(caller, { vault: here })).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' });
});

test('error: TOKEN_REVOKED where the stored session is of another chain than the token', async () => {
  const caller = await signedInOn(8453);
  await expect(makeToken({ ...caller, chain_id: 31337 })).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
});

test('error: sessions of another chain are neither shown nor ended; of one that says no chain both are done', async () => {
  const account = newPerson();
  const there = await signedInOn(8453, account);
  const mine = await signedInOn(31337, account);
  const { caller: older } = await signedIn(account);
  const idsOf = async (caller: Caller) => (await sessionsOf(caller)).map(({ id }) => id).sort();
  expect(await idsOf(there)).toEqual([there.sid, older.sid].sort());
  expect(await idsOf(mine)).toEqual([mine.sid, older.sid].sort());
  await expect(ask(RevokeSession, { id: mine.sid }, there)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect(await ask(RevokeSession, { id: older.sid }, there)).toEqual({ revoked: true });
});

test('error: what is signed in or made on another chain uses up no place and ends no session here', async () => {
  const account = newPerson();
  const { caller } = await signedIn(account);
  const of = (n: number, kind: 'session' | 'token') =>
    documentOf(caller, `${caller.sid}-${kind}-${n}`, { kind, chain_id: 8453 });
  await sessions().insertMany(Array.from({ length: 50 }, (_, n) => of(n, 'token')));
  await sessions().insertMany(Array.from({ length: 20 }, (_, n) => of(n, 'session')));
  expect((await makeToken(caller)).access_token).toEqual(expect.any(String));
  await ask(CreateToken, await proofOf(account));
  expect(await sessions().countDocuments({ _id: /-session-/, chain_id: 8453, revoked_at: { $ne: null } })).toBe(0);
  expect(await sessions().findOne({ _id: caller.sid })).toMatchObject({ revoked_at: null });
});
