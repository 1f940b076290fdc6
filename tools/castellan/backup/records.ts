import { createHash, type Hash } from 'node:crypto';
import { mongo } from 'mongoose';
import { z } from 'zod';

/**
 * What is in a backup, behind seal and gzip: records of a letter and a BSON document. `B` begins the file; `C` begins a collection,
 * `D` is one of its documents as the store had it, `E` ends the collection; `M`, the manifest, is the last.
 */
export const Begin = z.strictObject({
  format: z.literal(1),
  id: z.uuid(),
  release: z.string(),
  created_at: z.iso.datetime(),
  /** Whether all documents are of one moment by the store's snapshot, or by a transaction. */
  moment: z.enum(['snapshot', 'transaction']),
});
export type Begin = z.output<typeof Begin>;

const Section = z.strictObject({ service: z.string(), collection: z.string(), version: z.int().min(1) });
export type Section = z.output<typeof Section>;

const Total = z.strictObject({ documents: z.int().min(0), sha256: z.hash('sha256') });
type Total = z.output<typeof Total>;

export const Manifest = z.strictObject({ collections: z.array(Section.extend(Total.shape)) });
export type Manifest = z.output<typeof Manifest>;

/** The content contradicts itself. */
export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged';
}

const letters = { B: 66, C: 67, D: 68, E: 69, M: 77 } as const;
type Letter = keyof typeof letters;

const frame = (letter: Letter, document: Uint8Array): Buffer => Buffer.concat([Buffer.of(letters[letter]), document]);
const recordOf = (letter: Letter, document: object): Buffer => frame(letter, mongo.BSON.serialize(document));

/** A collection to be written: its documents are raw BSON. */
export type Source = Section & { documents: AsyncIterable<Uint8Array> };

/** @param onEnd - Called after each collection. */
export async function* writeRecords(
  begin: Begin,
  sources: Iterable<Source>,
  onEnd: (ended: Section & Total) => void,
): AsyncGenerator<Buffer> {
  yield recordOf('B', begin);
  const collections: Manifest['collections'] = [];
  for (const { documents, ...section } of sources) {
    yield recordOf('C', section);
    const hash = createHash('sha256');
    let count = 0;
    for await (const document of documents) {
      hash.update(document);
      count += 1;
      yield frame('D', document);
    }
    const total = { documents: count, sha256: hash.digest('hex') };
    yield recordOf('E', total);
    collections.push({ ...section, ...total });
    onEnd({ ...section, ...total });
  }
  yield recordOf('M', { collections });
}

const headBytes = 5;
/** MongoDB's limit of a document is 16 MiB; a manifest is far below it. */
const longestDocument = 17 * 2 ** 20;

async function* framesIn(source: AsyncIterable<Buffer>): AsyncGenerator<{ letter: number; document: Buffer }> {
  let read: Buffer = Buffer.alloc(0);
  for await (const part of source) {
    read = read.length === 0 ? part : Buffer.concat([read, part]);
    let at = 0;
    while (read.length - at >= headBytes) {
      const length = read.readInt32LE(at + 1);
      if (length < headBytes || length > longestDocument) throw new BackupDamaged('A record has an impossible length.');
      if (read.length - at < 1 + length) break;
      yield { letter: read.readUInt8(at), document: read.subarray(at + 1, at + 1 + length) };
      at += 1 + length;
    }
    read = read.subarray(at);
  }
  if (read.length > 0) throw new BackupDamaged('The last record is incomplete.');
}

const parsed = <S extends z.ZodType>(schema: S, document: Buffer): z.output<S> => {
  const result = schema.safeParse(mongo.BSON.deserialize(document));
  if (!result.success) throw new BackupDamaged(`A record is malformed: ${z.prettifyError(result.error)}`);
  return result.data;
};

/** Who takes in what is read. */
export type Reader = {
  begin?(begin: Begin): void;
  section?(section: Section): Promise<void>;
  document?(document: Buffer): Promise<void>;
  ended?(section: Section, total: Total): Promise<void>;
};

type Open = Section & { hash: Hash; count: number };

/** Reads all records in their order and holds them against their counts and hashes. @returns the manifest. @throws BackupDamaged */
export async function readRecords(source: AsyncIterable<Buffer>, reader: Reader): Promise<Begin & Manifest> {
  let begin: Begin | undefined;
  let open: Open | undefined;
  let manifest: Manifest | undefined;
  const collections: Manifest['collections'] = [];
  for await (const { letter, document } of framesIn(source)) {
    if (manifest) throw new BackupDamaged('Something stands behind the manifest.');
    if ((letter === letters.B) === (begin !== undefined))
      throw new BackupDamaged('The beginning is not at the beginning.');
    if (letter === letters.B) {
      begin = parsed(Begin, document);
      reader.begin?.(begin);
    } else if (letter === letters.C && !open) {
      const section = parsed(Section, document);
      open = { ...section, hash: createHash('sha256'), count: 0 };
      await reader.section?.(section);
    } else if (letter === letters.D && open) {
      open.hash.update(document);
      open.count += 1;
      await reader.document?.(document);
    } else if (letter === letters.E && open) {
      const { hash, count, ...section } = open;
      const total = parsed(Total, document);
      if (total.documents !== count || total.sha256 !== hash.digest('hex'))
        throw new BackupDamaged(`${section.service}.${section.collection} is not what was written.`);
      collections.push({ ...section, ...total });
      open = undefined;
      await reader.ended?.(section, total);
    } else if (letter === letters.M && !open) manifest = parsed(Manifest, document);
    else throw new BackupDamaged('A record stands where it does not belong.');
  }
  if (!begin || !manifest) throw new BackupDamaged('The manifest is missing.');
  if (JSON.stringify(manifest.collections) !== JSON.stringify(collections))
    throw new BackupDamaged('The manifest does not fit the content.');
  return { ...begin, ...manifest };
}
