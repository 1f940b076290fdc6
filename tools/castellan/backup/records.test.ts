import { expect, test } from '@jest/globals';
import { mongo } from 'mongoose';
import { type Begin, readRecords, type Source, writeRecords } from './records.ts';

const begin: Begin = {
  format: 1,
  id: '2f2c1f4e-8f0c-4c55-9a5e-1d9d0f6e7a11',
  release: '1.0.0',
  created_at: '2026-11-23T12:00:00.000Z',
  moment: 'snapshot',
};
const document = (n: number) => mongo.BSON.serialize({ _id: n, text: `row ${n}` });

async function* rows(count: number): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < count; n += 1) yield document(n);
}
const sources = (): Source[] => [
  { service: 'users', collection: 'people', version: 1, documents: rows(3) },
  { service: 'vaults', collection: 'intents', version: 2, documents: rows(0) },
];

/** Each as it was written: a record. */
async function written(): Promise<Buffer[]> {
  const records: Buffer[] = [];
  for await (const record of writeRecords(begin, sources(), () => undefined)) records.push(record);
  return records;
}
async function* inParts(records: readonly Buffer[], size = 11): AsyncGenerator<Buffer> {
  const all = Buffer.concat([...records]);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

test('default: documents are read as they were written, each collection with its count', async () => {
  const read: string[] = [];
  const { collections, ...first } = await readRecords(inParts(await written()), {
    section: async ({ collection }) => void read.push(collection),
    document: async (bytes) => void read.push(String(mongo.BSON.deserialize(bytes).text)),
  });
  expect(first).toEqual(begin);
  expect(read).toEqual(['people', 'row 0', 'row 1', 'row 2', 'intents']);
  expect(collections.map(({ service, version, documents }) => [service, version, documents])).toEqual([
    ['users', 1, 3],
    ['vaults', 2, 0],
  ]);
});

test('error: records that are missing, repeated, changed or behind the manifest are refused', async () => {
  const records = await written();
  const [first, section, one, two, three, end] = records as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
  const rest = records.slice(6);
  const damaged = [
    [first, section, one, three, end, ...rest],
    [first, section, one, two, two, end, ...rest],
    [first, section, one, three, two, end, ...rest],
    [section, one, two, three, end, ...rest],
    [first, first, section, one, two, three, end, ...rest],
    [first, section, one, two, three, ...rest],
    [first, ...rest],
    records.slice(0, -1),
    [...records, section],
    [...records, Buffer.of(67, 1)],
    [Buffer.concat([Buffer.of(66), Buffer.alloc(8, 0xff)])],
    [],
  ];
  for (const each of damaged)
    await expect(readRecords(inParts(each), {})).rejects.toMatchObject({ name: 'BackupDamaged' });
});
