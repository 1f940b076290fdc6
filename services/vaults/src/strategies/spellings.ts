import { createHash } from 'node:crypto';
import { type Lexicon, spellingOf, vocabularyOf } from '@castellan/strategy';
import type { StrategyDocument } from './domain/strategy.ts';
import { decidingPart, type Judged, writtenInOf } from './validate.ts';

type Spelling = { spelling: Record<string, string>; written_in: Judged['written_in'] };

/** Long strategies take tens of milliseconds to spell, and lists are asked for every few seconds. */
const MOST_KEPT = 1_000;

/** Strategies with units and names, each worked out once for what is written in it and for the names around it. */
export class Spellings {
  readonly #kept = new Map<string, Spelling>();

  of(document: StrategyDocument, lexicon: Lexicon): Spelling {
    const content = JSON.stringify([decidingPart(document.definition), document.written_in ?? null, lexicon]);
    const key = createHash('sha256').update(content).digest('base64');
    const known = this.#kept.get(key);
    if (known) return known;
    const spelled = {
      spelling: spellingOf(decidingPart(document.definition), vocabularyOf(lexicon)),
      written_in: writtenInOf(document, lexicon),
    };
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    this.#kept.set(key, spelled);
    return spelled;
  }
}
