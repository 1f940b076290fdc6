import { readWallet } from '../users/wallet-input.ts';

/** A source and the oracle that values it, as typed. */
export type Draft = { source: string; oracle: string };
export type Pair = { source_address: string; oracle_address: string };
export type DraftFault = { source?: string; oracle?: string };

/** As many as one call takes. */
export const MAX_PAIRS = 50;
export const emptyDraft: Draft = { source: '', oracle: '' };
export const isBlank = ({ source, oracle }: Draft): boolean => source.trim() === '' && oracle.trim() === '';

const key = (address: string): string => address.toLowerCase();

/** What the vault has, by source, in lower case. */
export type Known = ReadonlySet<string>;
export const knownOf = (sources: readonly { source_address: string }[]): Known =>
  new Set(sources.map(({ source_address }) => key(source_address)));
export const knows = (known: Known, address: string): boolean => known.has(key(address));

/** Collects pairs and says of each what is wrong with it; `place` names where a source was seen first. */
function collector(known: Known, place: (index: number) => string) {
  const seen = new Map<string, number>();
  return (draft: Draft, index: number): { pair: Pair } | { fault: DraftFault } => {
    const source = readWallet(draft.source);
    const oracle = readWallet(draft.oracle);
    const fault: DraftFault = {};
    if ('error' in source) fault.source = source.error;
    else if (knows(known, source.address)) fault.source = 'The vault has this source already.';
    else {
      const first = seen.get(key(source.address));
      if (first === undefined) seen.set(key(source.address), index);
      else fault.source = `The same source stands on ${place(first)}.`;
    }
    if ('error' in oracle) fault.oracle = oracle.error;
    if ('error' in source || 'error' in oracle || fault.source !== undefined) return { fault };
    return { pair: { source_address: source.address, oracle_address: oracle.address } };
  };
}

/** The rows of the form as pairs, or what is wrong with each row. Blank rows count for nothing unless all are blank. */
export function readDrafts(drafts: readonly Draft[], known: Known): { pairs: Pair[] } | { faults: DraftFault[] } {
  const read = collector(known, (index) => `row ${index + 1}`);
  const isEmpty = drafts.every(isBlank);
  const results = drafts.map((draft, index) => (isBlank(draft) && !isEmpty ? undefined : read(draft, index)));
  const pairs = results.flatMap((result) => (result !== undefined && 'pair' in result ? [result.pair] : []));
  if (results.every((result) => result === undefined || 'pair' in result)) return { pairs };
  return { faults: results.map((result) => (result !== undefined && 'fault' in result ? result.fault : {})) };
}

export type LineFault = { line: number; text: string };

/** Pasted lines of `source, oracle` as pairs, or what is wrong with which line. Blank lines are skipped. */
export function readLines(text: string, known: Known): { pairs: Pair[] } | { faults: LineFault[] } {
  const read = collector(known, (index) => `line ${index + 1}`);
  const pairs: Pair[] = [];
  const faults: LineFault[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [source = '', oracle = '', ...more] = line.trim().split(/\s*[,;\t]\s*|\s+/);
    const number = index + 1;
    if (more.length > 0) {
      faults.push({ line: number, text: 'This line has more than a source and an oracle.' });
      continue;
    }
    const result = read({ source, oracle }, index);
    if ('pair' in result) pairs.push(result.pair);
    else {
      const { source: wrongSource, oracle: wrongOracle } = result.fault;
      const words = [
        wrongSource === undefined ? undefined : `Source: ${wrongSource}`,
        wrongOracle === undefined
          ? undefined
          : `Oracle: ${oracle === '' ? 'It is missing after the comma.' : wrongOracle}`,
      ];
      faults.push({ line: number, text: words.filter((each) => each !== undefined).join(' ') });
    }
  }
  if (faults.length > 0) return { faults };
  if (pairs.length === 0) return { faults: [{ line: 1, text: 'Nothing stands here.' }] };
  if (pairs.length > MAX_PAIRS) {
    return {
      faults: [{ line: MAX_PAIRS + 1, text: `One call takes ${MAX_PAIRS} sources; these are ${pairs.length}.` }],
    };
  }
  return { pairs };
}
