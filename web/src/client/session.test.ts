import { describe, expect, jest, test } from '@jest/globals';
import { memoryStorage } from '../../test/memory-storage.ts';
import { isRejection } from '../session/sign-in.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { createSession, type EndReason } from './session.ts';

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const stored = { token: 'a.b.c', address, isManager: true, vaults: [address] };
const keys = ['curator_jwt', 'curator_address', 'curator_is_manager', 'curator_vaults'];
const kept = (storage: Storage) => keys.filter((key) => storage.getItem(key) !== null);
const answers = (status: number) => jest.fn(async () => new Response(null, { status }));
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

function signedIn() {
  const storage = memoryStorage();
  const session = createSession(storage);
  session.begin(stored);
  return { storage, session };
}

describe('session', () => {
  test('default: the four keys as other clients of this origin read them', () => {
    const { storage } = signedIn();
    expect(keys.map((key) => storage.getItem(key))).toEqual(['a.b.c', address, 'true', JSON.stringify([address])]);
    expect(createSession(storage).get()).toEqual({ status: 'signed_in', ...stored });
  });

  test('behavior: a session with a key missing or malformed is none', () => {
    const { storage } = signedIn();
    storage.setItem('curator_vaults', '{');
    expect(createSession(storage).get()).toEqual({ status: 'anonymous' });
    storage.setItem('curator_vaults', '[]');
    storage.setItem('curator_is_manager', 'yes');
    expect(createSession(storage).get()).toEqual({ status: 'anonymous' });
  });

  test('behavior: when another tab hears of a new token, all that belongs to it is there', () => {
    const { storage, session } = signedIn();
    const other = { ...stored, token: 'x.y.z', address: `0x${'1'.repeat(40)}`, vaults: [] };
    const seen: unknown[] = [];
    const set = storage.setItem.bind(storage);
    storage.setItem = (key, value) => {
      set(key, value);
      if (key === 'curator_jwt') seen.push(createSession(storage).get());
    };
    session.begin(other);
    expect(seen).toEqual([{ status: 'signed_in', ...other }]);
  });

  test('behavior: logout removes all four keys', () => {
    const { storage, session } = signedIn();
    session.end('logout');
    expect(kept(storage)).toEqual([]);
    expect(session.get()).toEqual({ status: 'anonymous' });
  });
});

describe('any 401', () => {
  test('default: removes all four keys, remembers whose session it was and says so once', async () => {
    const { storage, session } = signedIn();
    const ends: EndReason[] = [];
    session.onEnd((reason) => ends.push(reason));
    const get = guardedFetch(session, answers(401));
    await Promise.all([get('http://x/api', bearer('a.b.c')), get('http://x/api', bearer('a.b.c'))]);
    expect(kept(storage)).toEqual([]);
    expect(session.get()).toEqual({ status: 'ended', address });
    expect(ends).toEqual(['unauthorized']);
  });

  test('behavior: a 401 without a token counts too', async () => {
    const { storage, session } = signedIn();
    await guardedFetch(session, answers(401))('http://x/idp/v1/token');
    expect(kept(storage)).toEqual([]);
  });

  test('behavior: clears leftovers of a session that could not be read', async () => {
    const storage = memoryStorage({ curator_jwt: 'left over' });
    await guardedFetch(createSession(storage), answers(401))('http://x/api');
    expect(kept(storage)).toEqual([]);
  });

  test('behavior: a late 401 about a replaced token leaves the new session', async () => {
    const { storage, session } = signedIn();
    await guardedFetch(session, answers(401))('http://x/api', bearer('old'));
    expect(kept(storage)).toEqual(keys);
  });

  test('behavior: a late 401 about a request of before the sign-in leaves the session that began since', async () => {
    const storage = memoryStorage();
    const session = createSession(storage);
    const answer = Promise.withResolvers<Response>();
    const asked = guardedFetch(session, () => answer.promise)('http://x/api');
    session.begin(stored);
    answer.resolve(new Response(null, { status: 401 }));
    await asked;
    expect(kept(storage)).toEqual(keys);
    expect(session.get()).toMatchObject({ status: 'signed_in' });
  });

  test('behavior: a refused signature beside a good token ends nothing, a refused token does', async () => {
    const { session } = signedIn();
    const problem = (code: string) => async () => new Response(JSON.stringify({ code }), { status: 401 });
    await guardedFetch(session, problem('SIGNATURE_INVALID'))('http://x/api', bearer('a.b.c'));
    await guardedFetch(session, problem('NONCE_INVALID'))('http://x/api', bearer('a.b.c'));
    expect(session.get()).toMatchObject({ status: 'signed_in' });
    await guardedFetch(session, problem('TOKEN_REVOKED'))('http://x/api', bearer('a.b.c'));
    expect(session.get()).toEqual({ status: 'ended', address });
  });

  test('behavior: 403 ends nothing', async () => {
    const { storage, session } = signedIn();
    await guardedFetch(session, answers(403))('http://x/api', bearer('a.b.c'));
    expect(kept(storage)).toEqual(keys);
  });
});

test('behavior: a declined message is found behind wrapping errors', () => {
  expect(isRejection({ cause: { cause: { code: 4001 } } })).toBe(true);
  expect(isRejection({ code: -32601 })).toBe(false);
});
