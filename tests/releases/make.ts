import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mongo } from 'mongoose';
import { collectionsOf, databaseServices } from '../../tools/castellan/collections.ts';
import { fill } from './fill.ts';

/** Writes a few documents of every collection, as this release has written them. See `README.md`. */
const usage = `node tests/releases/make.ts [--state-dir .castellan] [--base http://127.0.0.1:8080] [--rpc http://127.0.0.1:8545]
Does with a fresh npm start what people do, and writes tests/releases/VERSION.json of what it has stored then.
`;

/** Of each collection, the smallest document of each shape. Of large ones the smallest alone. */
const mostShapes = 4;
const largeBytes = 6_000;
/** Read of one collection. */
const mostRead = 3_000;
/** Of nobody's use in a test, and keys and sessions belong in no repository. */
const leftOut: ReadonlySet<string> = new Set(['auth.signing_keys', 'auth.sessions', 'auth.nonces']);

const { EJSON } = mongo.BSON;
type Stored = mongo.BSON.Document;

/** The names in a document with the types of their values, and what kind of document it says that it is. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length === 0 ? '' : shapeOf(value[0])}]`;
  if (value === null || typeof value !== 'object' || '_bsontype' in value || value instanceof Date) return typeof value;
  const kinds = ['kind', 'name', 'state', 'status'].map((name) => (value as Stored)[name]);
  const fields = Object.entries(value).map(([name, item]) => `${name}:${item === null ? 'null' : typeof item}`);
  return `${kinds.filter((kind) => typeof kind === 'string').join()}{${fields.join()}}`;
}

/** A few documents that stand for a collection. */
function samplesOf(documents: readonly Stored[]): Stored[] {
  const bySize = documents
    .map((document) => ({ document, bytes: mongo.BSON.calculateObjectSize(document) }))
    .sort((a, b) => a.bytes - b.bytes || (String(a.document._id) < String(b.document._id) ? -1 : 1))
    .filter(({ bytes }, place) => place === 0 || bytes <= largeBytes);
  const found = new Map<string, Stored>();
  for (const { document } of bySize) {
    const shape = shapeOf(document);
    if (!found.has(shape)) found.set(shape, document);
  }
  return [...found.values()].slice(0, mostShapes);
}

async function readSamples(client: mongo.MongoClient): Promise<Record<string, Stored[]>> {
  const found: Record<string, Stored[]> = {};
  for (const service of databaseServices)
    for (const { name } of collectionsOf(service)) {
      const place = `${service}.${name}`;
      if (leftOut.has(place)) continue;
      const all = name === 'schema_versions';
      const documents = await client
        .db(`castellan_${service}`)
        .collection(name)
        // The document behind the last entry of a log is none.
        .find(name === 'chain_log' ? { seq: { $ne: null } } : {})
        .limit(mostRead)
        .toArray();
      const samples = all ? documents : samplesOf(documents);
      if (samples.length > 0) found[place] = samples;
    }
  return found;
}

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const { values } = parseArgs({
    options: {
      'state-dir': { type: 'string', default: '.castellan' },
      base: { type: 'string', default: 'http://127.0.0.1:8080' },
      rpc: { type: 'string', default: 'http://127.0.0.1:8545' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  process.env.E2E_BASE_URL = values.base;
  process.env.E2E_RPC_URL = values.rpc;
  await fill(values.base);
  const uri = readFileSync(join(values['state-dir'], 'store-users/operator.uri'), 'utf8').trim();
  const client = new mongo.MongoClient(uri);
  try {
    const databases = await readSamples(client);
    const lines = Object.entries(databases).map(
      ([place, documents]) =>
        `  ${JSON.stringify(place)}: [\n${documents.map((each) => `    ${EJSON.stringify(each, { relaxed: false })}`).join(',\n')}\n  ]`,
    );
    writeFileSync(join(import.meta.dirname, `${version}.json`), `{\n${lines.join(',\n')}\n}\n`);
    process.stdout.write(`${version}.json holds documents of ${lines.length} collections.\n`);
  } finally {
    await client.close();
  }
}

await main();
