import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const files = globSync(['packages/*/src/**/*.ts', 'services/*/src/**/domain/**/*.ts'], { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .sort();

// The formatter puts every export of a module at the beginning of a line, and its docstring right above it.
const declaration =
  /^export (?:default |declare |async |abstract )*(?:function\*?|const|let|type|interface|class) (\w+)/;
const listBegins = /^export (?:type )?[{*]/;

/** Whether a docstring ends right above the line, seen past comments for the linter. */
function isDocumented(lines: readonly string[], line: number): boolean {
  let last = line - 1;
  while (lines[last]?.startsWith('//')) last -= 1;
  if (!lines[last]?.trimEnd().endsWith('*/')) return false;
  let first = last;
  while (first > 0 && !lines[first]?.includes('/*')) first -= 1;
  const text = lines.slice(first, last + 1).join(' ');
  return text.startsWith('/**') && /[a-z]/i.test(text);
}

/** Names of an export list that the file declares itself; what it only passes on is documented where it is declared. */
function declaredIn(source: string, list: string): string[] {
  if (list.includes(" from '")) return [];
  const imports = (source.match(/^import [^;]+;$/gm) ?? []).join(' ');
  const names = list.match(/\w+/g)?.slice(1) ?? [];
  return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(imports));
}

/** Exports without a docstring, as `line name`. A schema and its type of the same name share one; so do overloads. */
function undocumented(source: string): string[] {
  const lines = source.split('\n');
  const documented = new Set<string>();
  return lines.flatMap((text, line) => {
    if (!text.startsWith('export ')) return [];
    if (listBegins.test(text)) {
      const rest = lines.slice(line).join(' ');
      return declaredIn(source, rest.slice(0, rest.indexOf(';'))).map((name) => `${line + 1} ${name}`);
    }
    const name = declaration.exec(text)?.[1];
    if (name === undefined) return [`${line + 1} ${text}`];
    if (isDocumented(lines, line)) documented.add(name);
    return documented.has(name) ? [] : [`${line + 1} ${name}`];
  });
}

test('default: every export of a package and of a domain folder has a docstring', () => {
  expect(files.length).toBeGreaterThan(450);
  const found = files.flatMap((file) =>
    undocumented(readFileSync(join(root, file), 'utf8')).map((each) => `${file}:${each}`),
  );
  expect(found).toEqual([]);
});

test('behavior: a re-export needs none, a schema and its type need one', () => {
  const source = [
    "export { a } from './a.ts';",
    'export {',
    '  type B,',
    "} from './b.ts';",
    "export * from './c.ts';",
    "import { D } from 'd';",
    'export { D };',
    '/** A price, raw. */',
    'export const Price = z.string();',
    'export type Price = z.infer<typeof Price>;',
    '/**',
    ' * The mean.',
    ' */',
    '// biome-ignore lint/style/useConst: an example',
    'export async function mean() {}',
  ].join('\n');
  expect(undocumented(source)).toEqual([]);
});

test.each([
  ['a function', 'export function mean() {}', ['1 mean']],
  ['a class', 'export abstract class Ledger {}', ['1 Ledger']],
  ['a type', 'export type Price = string;', ['1 Price']],
  ['a value', 'export const price = 1;', ['1 price']],
  ['a plain comment', '// The mean.\nexport function mean() {}', ['2 mean']],
  ['a comment that is no docstring', '/* The mean. */\nexport function mean() {}', ['2 mean']],
  ['an empty docstring', '/** */\nexport function mean() {}', ['2 mean']],
  ['a docstring of the file', '/** Statistics. */\n\nexport function mean() {}', ['3 mean']],
  ['a list of declarations', 'const a = 1;\nexport { a };', ['2 a']],
  ['another form', 'export const { a, b } = c;', ['1 export const { a, b } = c;']],
  ['a default export', 'export default 1;', ['1 export default 1;']],
])('error: %s without one is found', (_, source, found) => {
  expect(undocumented(source)).toEqual(found);
});
