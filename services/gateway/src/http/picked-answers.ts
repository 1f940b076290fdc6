import { etagOf } from '@castellan/service-kit';
import { LRUCache } from 'lru-cache';
import { type Selection, selected } from './sparse-fields.ts';

type Picked = { readonly bytes: string; readonly etag: string };

const KEPT_BYTES = 8_388_608;
/** What a kept answer takes besides its text: key, tag and the entry, rounded up. */
const OVERHEAD_BYTES = 500;

/** Names of a selection as one text; the same for the same selection. */
const keyOf = (selection: Selection): string =>
  JSON.stringify([...selection].map(([name, part]) => [name, typeof part === 'string' ? part : [...part.keys()]]));

/** Answers of which some fields were picked, by the whole answer: who asks for the same again costs no parsing. */
export class PickedAnswers {
  readonly #kept = new LRUCache<string, Picked>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length + OVERHEAD_BYTES,
  });

  /** @param whole - An answer and the tag of its bytes. */
  of(whole: { readonly bytes: string | Buffer; readonly etag: string }, selection: Selection): Picked {
    const key = `${whole.etag} ${keyOf(selection)}`;
    const known = this.#kept.get(key);
    if (known) return known;
    const bytes = JSON.stringify(selected(JSON.parse(whole.bytes.toString()), selection));
    const picked = { bytes, etag: etagOf(bytes) };
    this.#kept.set(key, picked);
    return picked;
  }
}
