import { MandateDocument } from '@castellan/contracts';
import { type Document, isCollection, LineCounter, parseDocument } from 'yaml';

/** What is wrong with a mandate, and where in its file; lines and columns from 1. */
export type MandateFault = {
  readonly line: number;
  readonly column: number;
  /** Of the value, such as `promises.0.id`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
};

/** A mandate without a fault, and where a value of it stands in its file. */
export type ReadMandate = {
  readonly document: MandateDocument;
  readonly placeOf: (path: readonly PropertyKey[], message: string) => MandateFault;
};

type Read = ReadMandate | { readonly faults: readonly MandateFault[] };

/** Where a value stands; of one that is missing, where it should. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    const range = (node as { range?: readonly number[] } | undefined)?.range;
    if (range?.[0] !== undefined) return range[0];
  }
  return isCollection(document.contents) ? (document.contents.range?.[0] ?? 0) : 0;
}

/**
 * Reads a mandate in YAML or JSON, as docs/mandates.md has it, without asking anybody. An address may be in either case.
 * @returns the document with its defaults filled in, or every fault of it.
 */
export function readMandate(text: string): Read {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const at = (offset: number, path: readonly PropertyKey[], message: string): MandateFault => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), path: path.join('.'), message };
  };
  if (document.errors.length > 0)
    return { faults: document.errors.map(({ pos, message }) => at(pos[0], [], message.split('\n')[0] ?? message)) };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // Aliases that repeat each other would fill the memory.
    return { faults: [at(0, [], (error as Error).message)] };
  }
  const parsed = MandateDocument.safeParse(value);
  const placeOf: ReadMandate['placeOf'] = (path, message) => at(offsetOf(document, path), path, message);
  if (parsed.success) return { document: parsed.data, placeOf };
  return { faults: parsed.error.issues.map(({ path, message }) => placeOf(path, message)) };
}
