import { connectMongo, createRegistry } from '@castellan/service-kit';
import { type StoredOutbox, startTestStore, storedOutbox, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { mongoSessions } from '../src/adapters/sessions.mongo.ts';
import { signedIn, steppedUp } from '../src/domain/audit-entry.ts';
import type { Session } from '../src/domain/session.ts';
import { other } from './harness.ts';

/** Sessions on a real document store, with what is published of them. */

const at = new Date('2026-01-01T00:00:00Z');
const later = new Date(at.getTime() + 1000);
const session: Session = {
  sid: 'a session',
  kind: 'session',
  name: null,
  scope: 'full',
  vault: null,
  parent: null,
  wallet: other.address,
  chainId: null,
  authTime: at,
  issuedAt: at,
  expiresAt: new Date(at.getTime() + 3_600_000),
  revokedAt: null,
};

let store: TestStore;
let mongo: Awaited<ReturnType<typeof connectMongo>>;
let outbox: StoredOutbox;
let database = 0;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(async () => {
  await mongo?.close();
  await store.stop();
});
beforeEach(async () => {
  database += 1;
  await mongo?.close();
  mongo = await connectMongo({
    uri: store.uri,
    database: `${store.database}_${database}`,
    registry: createRegistry('test'),
  });
  outbox = storedOutbox(mongo);
});

const open = (killed = false) =>
  mongoSessions(mongo, (killed ? outbox.killed : outbox).recordWith, () => {
    throw new Error('distrusted');
  });
const begin = (killed = false) => open(killed).begin(session, signedIn(session, 'siwe'));
const published = async () => (await outbox.published()).map(({ msgId }) => msgId);

test('default: a session, a later signature and its end are each stored with what is published of them', async () => {
  await begin();
  await open().keepSignature(session.sid, later, steppedUp(session, 'nonce', later));
  for (let time = 0; time < 2; time += 1) await open().end(session.sid, later);
  expect(await open().find(session.sid)).toEqual({ ...session, authTime: later, revokedAt: later });
  expect(await published()).toEqual([
    `auth:signed_in:${session.sid}`,
    `auth:stepped_up:${session.sid}:nonce`,
    `session-revoked:${session.sid}`,
    `auth:session_revoked:${session.sid}`,
  ]);
});

test('behavior: a process killed between a session and its events leaves neither; the next attempt makes both', async () => {
  await expect(begin(true)).rejects.toThrow('killed');
  expect([await open().find(session.sid), await published()]).toEqual([undefined, []]);
  await begin();
  const stored = await published();
  const row = steppedUp(session, 'nonce', later);
  await expect(open(true).keepSignature(session.sid, later, row)).rejects.toThrow('killed');
  await expect(open(true).end(session.sid, later)).rejects.toThrow('killed');
  expect([await open().find(session.sid), await published()]).toEqual([session, stored]);
  await open().end(session.sid, later);
  expect(await published()).toHaveLength(3);
});
