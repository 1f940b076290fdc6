import { CreateToken, EndSession, ListSessions, RevokeSession, StepUp } from '@castellan/contracts';
import { until } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import type { SessionDocument } from '../src/models/session.ts';
import { nowhere, other } from './harness.ts';
import {
  ask,
  callerOf,
  claimsOf,
  elsewhere,
  forSessions,
  makeToken,
  newPerson,
  proofOf,
  revoked,
  rowsOf,
  sessionsOf,
  signedIn,
  vault,
  world,
} from './session-scene.ts';

forSessions();

describe('tokens made from a session', () => {
  test('default: it says its scope, its vault and when the wallet signed, and may outlive the session', async () => {
    const { auth_time = 0, ...signed } = (await signedIn()).caller;
    const caller = { ...signed, auth_time: auth_time - 100 };
    const { access_token, expires_in, session } = await makeToken(caller, { scope: 'prepare', vault });
    const claims = await claimsOf(access_token);
    expect(claims).toMatchObject({
      sub: caller.wallet_address,
      sid: session.id,
      castellan_scope: 'prepare',
      castellan_vault: `31337:${other.address}`,
      auth_time: caller.auth_time,
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(86_400);
    expect(expires_in).toBe(86_400);
    expect(session).toMatchObject({
      kind: 'token',
      name: 'Nightly report',
      scope: 'prepare',
      vault,
      revoked_at: null,
      is_current: false,
    });
  });

  test('default: a sign-in has neither limit', async () => {
    const claims = await claimsOf((await signedIn()).token);
    expect(Object.keys(claims)).not.toEqual(expect.arrayContaining(['castellan_scope']));
    expect(Object.keys(claims)).not.toEqual(expect.arrayContaining(['castellan_vault']));
    expect(claims.auth_time).toBe(claims.iat);
  });

  test('error: STEP_UP_REQUIRED when the signature is old or nobody knows how old', async () => {
    const { caller } = await signedIn();
    const old = { ...caller, auth_time: Math.floor(Date.now() / 1000) - 1800 };
    const { auth_time: _unknown, ...silent } = caller;
    await expect(makeToken(old)).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
    await expect(makeToken(silent)).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
    expect(await sessionsOf(caller)).toHaveLength(1);
  });

  test('error: SCOPE_REQUIRED for a token that is not full, and for a session of another issuer', async () => {
    const { caller } = await signedIn();
    const token = await callerOf((await makeToken(caller, { scope: 'prepare' })).access_token);
    await expect(makeToken(token)).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' });
    const foreign = { ...caller, issuer: 'https://login.example.org/' };
    await expect(makeToken(foreign)).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' });
  });

  test('error: SCOPE_REQUIRED for another vault than the one the caller is bound to, and for all of them', async () => {
    const { caller } = await signedIn();
    const bound = { ...caller, vault };
    await expect(makeToken(bound, { vault: elsewhere })).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' });
    await expect(makeToken(bound)).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' });
    expect((await makeToken(bound, { vault })).session).toMatchObject({ vault });
  });

  test('error: VAULT_NOT_FOUND for a vault that is not there; no token is made', async () => {
    const { caller } = await signedIn();
    const asked = makeToken(caller, { vault: { chain_id: 31337, vault_address: nowhere } });
    await expect(asked).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
    expect(await sessionsOf(caller)).toHaveLength(1);
  });

  test('error: TOKEN_REVOKED for a session that ended, also before any gateway heard of it', async () => {
    const { caller } = await signedIn();
    await ask(EndSession, {}, caller);
    await expect(makeToken(caller)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
    await expect(makeToken({ ...caller, sid: 'unheard-of' })).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
  });

  test('error: VALIDATION_FAILED for a name, scope or life that is out of bounds', async () => {
    const { caller } = await signedIn();
    for (const parts of [
      { name: ' ' },
      { name: 'a\u202Eb' },
      { scope: 'full' },
      { expires_in_seconds: 299 },
      { expires_in_seconds: 90 * 86_400 + 1 },
    ]) {
      await expect(makeToken(caller, parts)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    }
  });

  test('behavior: of 60 asked for at once at most 50 are made; a revoked one frees a place', async () => {
    const { caller } = await signedIn();
    const asked = await Promise.allSettled(Array.from({ length: 60 }, () => makeToken(caller)));
    const made = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(made.length).toBeLessThanOrEqual(50);
    expect(refused[0]).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining('at most 50') });
    while ((await sessionsOf(caller)).length <= 50) await makeToken(caller);
    await expect(makeToken(caller)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await ask(RevokeSession, { id: made[0]?.session.id ?? '' }, caller);
    expect((await makeToken(caller)).access_token).toEqual(expect.any(String));
  });

  test('behavior: revoked ones count until they would have expired, so that a wallet has 500 at most', async () => {
    const { caller } = await signedIn();
    const sessions = world().auth.context.mongo.collection<SessionDocument>('sessions');
    const now = new Date();
    const revokedToken = (n: number, expires_at: Date): SessionDocument => ({
      _id: `${caller.sid}-${n}`,
      kind: 'token',
      wallet_address: caller.wallet_address.toLowerCase(),
      issued_at: now,
      expires_at,
      revoked_at: now,
    });
    const later = new Date(now.getTime() + 60_000);
    await sessions.insertMany(Array.from({ length: 2_499 }, (_, n) => revokedToken(n, later)));
    const earlier = new Date(now.getTime() - 60_000);
    await sessions.insertOne(revokedToken(2_499, earlier));
    const { session } = await makeToken(caller);
    await ask(RevokeSession, { id: session.id }, caller);
    await expect(makeToken(caller)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('at most 2500 tokens that have not expired'),
    });
    await sessions.updateOne({ _id: `${caller.sid}-0` }, { $set: { expires_at: earlier } });
    expect((await makeToken(caller)).access_token).toEqual(expect.any(String));
  });
});

describe('the list', () => {
  test('default: own sessions and tokens, newest first, revoked ones too', async () => {
    const { account, caller } = await signedIn();
    const { session } = await makeToken(caller);
    const later = (await signedIn(account)).caller;
    await ask(RevokeSession, { id: session.id }, caller);
    const shown = await sessionsOf(later);
    expect(new Set(shown.map(({ id }) => id))).toEqual(new Set([later.sid, session.id, caller.sid]));
    expect(shown.map(({ issued_at }) => issued_at)).toEqual(
      shown
        .map(({ issued_at }) => issued_at)
        .sort()
        .reverse(),
    );
    expect(shown.filter(({ is_current }) => is_current).map(({ id }) => id)).toEqual([later.sid]);
    expect(shown.find(({ id }) => id === session.id)).toMatchObject({ kind: 'token', revoked_at: expect.any(String) });
    expect(shown.find(({ id }) => id === later.sid)).toMatchObject({ kind: 'session', scope: 'full', name: null });
  });

  test('behavior: one that expired is not in it', async () => {
    const { caller } = await signedIn();
    const { session } = await makeToken(caller);
    const documents = world().auth.context.mongo.collection<SessionDocument>('sessions');
    await documents.updateOne({ _id: session.id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect((await sessionsOf(caller)).map(({ id }) => id)).toEqual([caller.sid]);
  });

  test('behavior: a sign-in of before tokens is a full session', async () => {
    const { caller } = await signedIn();
    const documents = world().auth.context.mongo.collection<SessionDocument>('sessions');
    const since = { kind: 1, name: 1, scope: 1, vault: 1, parent: 1, auth_time: 1 } as const;
    await documents.updateOne({ _id: caller.sid }, { $unset: since });
    expect(await sessionsOf(caller)).toMatchObject([{ id: caller.sid, kind: 'session', scope: 'full', vault: null }]);
    expect((await makeToken(caller)).access_token).toEqual(expect.any(String));
  });

  test('behavior: a token bound to a vault sees what is bound to it', async () => {
    const { caller } = await signedIn();
    await makeToken(caller);
    await makeToken(caller, { vault: elsewhere });
    const { access_token, session } = await makeToken(caller, { vault });
    expect((await sessionsOf(await callerOf(access_token))).map(({ id }) => id)).toEqual([session.id]);
  });

  test('behavior: nobody sees those of another wallet; without a token nothing is returned', async () => {
    const { caller } = await signedIn();
    expect((await sessionsOf((await signedIn()).caller)).map(({ id }) => id)).not.toContain(caller.sid);
    await expect(ask(ListSessions, {})).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
  });
});

describe('revocation', () => {
  test('default: one token ends everywhere, until it would have expired; again is no change', async () => {
    const { caller } = await signedIn();
    const { access_token, session } = await makeToken(caller);
    expect(await ask(RevokeSession, { id: session.id }, caller)).toEqual({ revoked: true });
    expect(await ask(RevokeSession, { id: session.id }, caller)).toEqual({ revoked: false });
    await until('the announcement', () => revoked.some(({ sid }) => sid === session.id));
    const { exp = 0 } = await claimsOf(access_token);
    expect(revoked.find(({ sid }) => sid === session.id)?.expires_at).toBe(new Date(exp * 1000).toISOString());
    expect(revoked.some(({ sid }) => sid === caller.sid)).toBe(false);
  });

  test('error: SESSION_NOT_FOUND for one of another wallet, which goes on, and for none', async () => {
    const { caller } = await signedIn();
    const theirs = (await signedIn()).caller;
    for (const id of [theirs.sid, 'nothing']) {
      await expect(ask(RevokeSession, { id }, caller)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    }
    expect(await sessionsOf(theirs)).toMatchObject([{ id: theirs.sid, revoked_at: null }]);
  });

  test('behavior: tokens outlive the logout of the session they were made from', async () => {
    const { account, caller } = await signedIn();
    const { session } = await makeToken(caller);
    await ask(EndSession, {}, caller);
    const shown = await sessionsOf((await signedIn(account)).caller);
    expect(shown.find(({ id }) => id === session.id)).toMatchObject({ revoked_at: null });
    expect(shown.find(({ id }) => id === caller.sid)?.revoked_at).toEqual(expect.any(String));
  });

  test('behavior: a session that is not stored is announced as long as any token may live', async () => {
    const { caller } = await signedIn();
    await ask(EndSession, {}, { ...caller, sid: 'of-a-lost-store' });
    await until('the announcement', () => revoked.some(({ sid }) => sid === 'of-a-lost-store'));
    const event = revoked.find(({ sid }) => sid === 'of-a-lost-store');
    expect(Date.parse(event?.expires_at ?? '')).toBeGreaterThan(Date.now() + 89 * 86_400_000);
  });
});

describe('step-up', () => {
  test('default: the same session and end, with a new time of signing', async () => {
    const { account, token, caller } = await signedIn();
    const before = await claimsOf(token);
    await until('the next second of the clock', () => Math.floor(Date.now() / 1000) > Number(before.auth_time));
    const answer = await ask(StepUp, await proofOf(account), caller);
    const after = await claimsOf(answer.access_token);
    expect(after).toMatchObject({ sid: before.sid, exp: before.exp, wallet_address: caller.wallet_address });
    expect(Number(after.auth_time)).toBeGreaterThan(Number(before.auth_time));
    expect(answer.expires_in).toBeLessThan(3600);
    const old = { ...caller, auth_time: Number(before.auth_time) - 1800 };
    await expect(makeToken(old)).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
    expect((await makeToken(await callerOf(answer.access_token))).access_token).toEqual(expect.any(String));
  });

  test('error: SIGNATURE_INVALID for the good signature of another wallet', async () => {
    const { caller } = await signedIn();
    await expect(ask(StepUp, await proofOf(newPerson()), caller)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  });

  test('error: NONCE_INVALID for a nonce used before, also one of the sign-in', async () => {
    const account = newPerson();
    const proof = await proofOf(account);
    const { access_token } = await ask(CreateToken, proof);
    const caller = await callerOf(access_token);
    await expect(ask(StepUp, proof, caller)).rejects.toMatchObject({ code: 'NONCE_INVALID' });
    const fresh = await proofOf(account);
    await ask(StepUp, fresh, caller);
    await expect(ask(StepUp, fresh, caller)).rejects.toMatchObject({ code: 'NONCE_INVALID' });
  });

  test('error: SCOPE_REQUIRED for a scoped token, TOKEN_REVOKED for an ended session', async () => {
    const { account, caller } = await signedIn();
    const token = await callerOf((await makeToken(caller, { scope: 'prepare' })).access_token);
    await expect(ask(StepUp, await proofOf(account), token)).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' });
    await ask(EndSession, {}, caller);
    await expect(ask(StepUp, await proofOf(account), caller)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
  });

  test('error: TOKEN_REVOKED for a session past its end, though its token is within the leeway', async () => {
    const { account, caller } = await signedIn();
    const documents = world().auth.context.mongo.collection<SessionDocument>('sessions');
    await documents.updateOne({ _id: caller.sid }, { $set: { expires_at: new Date(Date.now() - 1000) } });
    await expect(ask(StepUp, await proofOf(account), caller)).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
  });
});

test('behavior: each is audited once, with the vault it is bound to, and without secrets', async () => {
  const account = newPerson();
  const proof = await proofOf(account);
  const { access_token } = await ask(CreateToken, proof);
  const caller = await callerOf(access_token);
  const again = await proofOf(account);
  const stepped = await ask(StepUp, again, caller);
  const made = await makeToken(caller, { scope: 'prepare', vault });
  for (let n = 0; n < 2; n += 1) await ask(RevokeSession, { id: made.session.id }, caller);
  await ask(EndSession, {}, caller);
  await until('the rows', () => rowsOf(caller).some(({ id }) => id === `auth:session_revoked:${caller.sid}`));
  const rows = rowsOf(caller);
  expect(rows.map(({ action_type }) => action_type)).toEqual([
    'signed_in',
    'stepped_up',
    'token_created',
    'session_revoked',
    'session_revoked',
  ]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(5);
  expect(rows.every(({ category, tx_hash }) => category === 'account' && tx_hash === null)).toBe(true);
  expect(rows[2]).toMatchObject({
    ...vault,
    details: { session_id: made.session.id, name: 'Nightly report', scope: 'prepare', vault },
  });
  expect(rows[3]).toMatchObject({ ...vault, details: { kind: 'token', name: 'Nightly report' } });
  expect(rows[0]).toMatchObject({ vault_address: null, chain_id: null, details: { method: 'siwe' } });
  const text = JSON.stringify(rows);
  for (const secret of [access_token, stepped.access_token, made.access_token]) {
    expect(text).not.toContain(secret.split('.')[2]);
  }
  for (const { signature, message } of [proof, again]) {
    expect(text).not.toContain(signature.slice(2));
    expect(text).not.toContain(JSON.stringify(message).slice(1, -1));
  }
});
