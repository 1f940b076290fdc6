import type { Engine } from './engine.ts';
import { encodeKey } from './values/key.ts';
import { Class } from './values/types.ts';

// Documents per index and sweep, so that one sweep never holds up clients for long; the rest goes with the next ones.
const SWEEP_LIMIT = 5_000;

/** Deletes what TTL indexes say has expired. Only dates count. @returns the number of documents deleted. */
export function deleteExpired(engine: Engine): number {
  let deleted = 0;
  for (const db of engine.catalog.names()) {
    for (const collection of engine.catalog.collections(db).values()) {
      for (const index of collection.indexes) {
        if (index.expireAfterSeconds === undefined) continue;
        const latest = encodeKey(new Date(engine.clock() - index.expireAfterSeconds * 1000));
        const earliest = Buffer.from([Class.date]);
        const turned = (index.directions[0] ?? 1) < 0;
        const [start, end] = turned ? [invert(latest), next(invert(earliest))] : [earliest, next(latest)];
        const rows = engine.storage.all(
          `SELECT DISTINCT c.rid, c.doc FROM i_${index.id} AS i CROSS JOIN c_${collection.id} AS c ON c.rid = i.rid
           WHERE i.k >= ? AND i.k < ? LIMIT ?`,
          start,
          end,
          SWEEP_LIMIT,
        );
        for (const [rid, bytes] of rows) collection.remove({ rid: rid as number, bytes: bytes as Uint8Array });
        deleted += rows.length;
      }
    }
  }
  return deleted;
}

const invert = (bytes: Buffer): Buffer => bytes.map((byte) => ~byte & 0xff) as Buffer;
const next = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.from([0xff])]);
