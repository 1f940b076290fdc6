import { expect, test } from '@jest/globals';
import { databaseOf } from './database.ts';

const of = (url: string, name?: string) =>
  databaseOf({
    database: { url, name, timeout: 5000, max_connections: 10 },
    node: { node_id: 'oracle-1' },
  });
const all = 'maxPoolSize=10&serverSelectionTimeoutMS=5000&socketTimeoutMS=5000&waitQueueTimeoutMS=5000';

test.each([
  ['mongodb://h', `mongodb://h/?${all}`],
  ['mongodb://u:p@a,b:2/', `mongodb://u:p@a,b:2/?${all}`],
  ['mongodb://h/?replicaSet=r', `mongodb://h/?replicaSet=r&${all}`],
  ['mongodb+srv://h/db', `mongodb+srv://h/db?${all}`],
  ['mongodb://h/?maxPoolSize=3', `mongodb://h/?maxPoolSize=3&${all.replace('maxPoolSize=10&', '')}`],
])('behavior: %s gets what it does not say itself', (url, uri) => {
  expect(of(url).uri).toBe(uri);
});

test('default: the database is named after the node', () => {
  expect(of('mongodb://h').database).toBe('castellan_validator_oracle_1');
  expect(of('mongodb://h', 'mine').database).toBe('mine');
});
