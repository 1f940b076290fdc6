import { decode } from '@jridgewell/sourcemap-codec';
import { transformSync } from '@swc/core';
import { tsx } from '../jest/tsx.ts';
import { contains, type Intervals } from './intervals.ts';

export type Lines = { lines: number; covered: number };

/** Where code stands: its line in the source, and its offset in what V8 ran. */
type Place = { line: number; offset: number };

/** In the form that the formatter gives them. They run nothing: what they name counts where it stands. */
const imports = /^(import\s+[^'"(;]*|import |export\s+(\*|\{)[^'"(;]*\sfrom )'[^'\n]*'.*;$/gm;
const closing = /^([)\]};,>]|\/[/*]|\*\/|\s|$)/;
/** What swc leaves of a module of types. */
const nothing = 'export { };';

/**
 * Counts the lines of a source with code on them, and those of them whose functions were all called. Comments, types, imports
 * and lines of closing brackets are not code.
 * @param notRun - offsets in what V8 ran: the source itself, which Node strips of types in place, or what swc makes of a `.tsx`.
 */
export function countLines(path: string, source: string, notRun: Intervals): Lines {
  const ran = new Map<number, boolean>();
  for (const { line, offset } of placesOf(path, source))
    ran.set(line, (ran.get(line) ?? true) && !contains(notRun, offset));
  return { lines: ran.size, covered: [...ran.values()].filter(Boolean).length };
}

/** Of a source that no test loaded: none of it ran. */
export const everything: Intervals = [0, Number.MAX_SAFE_INTEGER];

function placesOf(path: string, source: string): Place[] {
  const isTsx = path.endsWith('.tsx');
  const parser = { syntax: 'typescript', tsx: isTsx } as const;
  const { code, map = '' } = transformSync(source, {
    ...tsx,
    jsc: { ...tsx.jsc, parser },
    filename: path,
    sourceMaps: true,
  });
  const { mappings } = JSON.parse(map) as { mappings: string };
  const inSource = lineStarts(source);
  const inCode = lineStarts(code);
  const imported = [...source.matchAll(imports)].flatMap(({ 0: text, index }) => [index, index + text.length]);
  return decode(mappings).flatMap((segments, codeLine) =>
    segments.flatMap(([column, , line = -1, sourceColumn = 0]) => {
      const place = (inSource[line] ?? source.length) + sourceColumn;
      const placeInCode = (inCode[codeLine] ?? 0) + column;
      if (closing.test(source.slice(place, place + 2)) || contains(imported, place)) return [];
      if (code.startsWith(nothing, placeInCode)) return [];
      return [{ line, offset: isTsx ? placeInCode : place }];
    }),
  );
}

const lineStarts = (text: string): number[] => [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
