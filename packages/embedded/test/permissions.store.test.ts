import { randomBytes } from 'node:crypto';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MongoClient, MongoServerError } from 'mongodb';
import { codeOf } from './driver-harness.ts';

/** What users of the server of TEST_MONGODB_URI may do, where it has users: the same as in the embedded store. */

let store: TestStore;
let admin: MongoClient;
let fault: string | undefined;
const password = randomBytes(16).toString('hex');

const uriAs = (name: string, secret: string): string => {
  const uri = new URL(store.uri.replace(/^mongodb:\/\/([^@/]*@)?/, `mongodb://${name}:${secret}@`));
  uri.searchParams.set('authSource', 'admin');
  return uri.href;
};

/** Makes a user of one database. @returns why it cannot be, on a server without users. */
async function makeUser(): Promise<string | undefined> {
  const anonymous = await MongoClient.connect(store.uri.replace(/\/\/[^@/]*@/, '//'));
  const isOpen = (await codeOf(anonymous.db(store.database).collection('things').findOne())) === 'no error';
  await anonymous.close();
  if (isOpen) return 'it can be read without a login';
  const roles = [{ role: 'readWrite', db: store.database }];
  const made = admin.db('admin').command({ createUser: store.database, pwd: password, roles });
  return made.then(
    () => undefined,
    (error: unknown) => (error instanceof MongoServerError ? error.message : Promise.reject(error)),
  );
}

beforeAll(async () => {
  store = await startTestStore();
  admin = await MongoClient.connect(store.uri);
  fault = await makeUser();
  if (fault === undefined) return;
  process.stdout.write(`skipped: permissions, because of this server: ${fault}\n`);
  if (process.env.CI === 'true') throw new Error(`The server of TEST_MONGODB_URI has no users: ${fault}`);
});
afterAll(async () => {
  if (fault === undefined) await admin?.db('admin').command({ dropUser: store.database });
  await admin?.close();
  await store?.stop();
});

test('default: a user reaches its own database and no other, and nobody without a password', async () => {
  if (fault !== undefined) return;
  const client = await MongoClient.connect(uriAs(store.database, password));
  await client.db(store.database).collection('things').insertOne({});
  const other = client.db(`${store.database}_other`).collection('things');
  expect(await codeOf(other.insertOne({}))).toBe(13);
  expect(await codeOf(other.findOne())).toBe(13);
  await client.close();
  expect(await codeOf(MongoClient.connect(uriAs(store.database, 'wrong')))).toBe(18);
});
