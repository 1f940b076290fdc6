import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as contracts from '@castellan/contracts';
import { z } from 'zod';

/**
 * Writes what the comments of the contracts say for the API description: `node tools/contract-comments.ts`. Comments are gone once
 * a process has started, and the web, which loads the contracts, has no use for their words. A test notices when the file is stale.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const target = join(root, 'services/gateway/src/openapi/generated/comments.json');

/** A constant with the comments of its fields by path, and the constants whose fields it takes over. */
type Constant = {
  readonly name: string;
  readonly isExported: boolean;
  readonly comments: Map<string, string>;
  readonly uses: { at: string; name: string }[];
};

const declaration = /^(export )?const (\w+)/;
const field = /^( +)(\w+)(?:,$|:(?: (.*))?$)/;
const spread = /^( +)\.\.\.(\w+)(?:\.shape)?,$/;
/** A constant that a value is made of: one of its own file, or one that is extended. */
const part = /\b([A-Za-z]\w+)\b(\.(?:extend|omit|pick|partial|shape)\b)?/g;

/** The words of a docstring, without its tags. */
function wordsOf(docstring: string): string {
  const [words = ''] = docstring.replaceAll(/^ *(?:\/\*\*|\*\/|\*)|\*\/$/gm, '').split(/(?:^|\s)@[a-z]/, 1);
  return words
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The constants of a file as the formatter lays it out: one field a line, deeper fields further in. */
export function constantsIn(source: string): Constant[] {
  const constants: Constant[] = [];
  let above: { indent: number; name: string }[] = [];
  let comment = '';
  const pathAt = (indent: number, name: string): string => {
    above = [...above.filter((outer) => outer.indent < indent), { indent, name }];
    return above.map((outer) => outer.name).join('.');
  };
  for (const [text] of source.matchAll(/^ *\/\*\*[\s\S]*?\*\/$|^.*$/gm)) {
    if (text.trimStart().startsWith('/**')) {
      comment = wordsOf(text);
      continue;
    }
    const [, isExported, declared] = declaration.exec(text) ?? [];
    if (declared !== undefined) {
      above = [];
      constants.push({ name: declared, isExported: isExported !== undefined, comments: new Map(), uses: [] });
    }
    const constant = constants.at(-1);
    const [, indent, name, value] = declared === undefined ? (field.exec(text) ?? []) : ['', '', '', text];
    const [, before, taken] = spread.exec(text) ?? [];
    if (constant !== undefined && taken !== undefined)
      constant.uses.push({ at: pathAt(before?.length ?? 0, '*').replace(/\.?\*$/, ''), name: `...${taken}` });
    if (constant !== undefined && indent !== undefined) {
      const at = declared === undefined ? pathAt(indent.length, name as string) : '';
      if (comment !== '') constant.comments.set(at, comment);
      for (const [used] of (value ?? '').matchAll(part)) constant.uses.push({ at, name: used });
    }
    comment = '';
  }
  return constants;
}

const joined = (...steps: string[]): string => steps.filter((step) => step !== '').join('.');

/** Comments of a constant and of what it takes over, by path. Its own words come last, so that they count. */
function commentsOf(
  constant: Constant,
  file: ReadonlyMap<string, Constant>,
  exported: ReadonlyMap<string, Constant>,
): [string, string][] {
  const taken = constant.uses.flatMap(({ at, name }) => {
    const isWhole = name.startsWith('...') || name.includes('.');
    const [other = ''] = name.replace('...', '').split('.');
    const local = file.get(other);
    // A shape that is exported has a name of its own in the description, and says there what its fields are.
    const used = isWhole ? (local ?? exported.get(other)) : local?.isExported === false ? local : undefined;
    if (used === undefined || used === constant) return [];
    return commentsOf(used, file, exported)
      .filter(([path]) => path !== '')
      .map(([path, text]): [string, string] => [joined(at, path), text]);
  });
  return [...taken, ...constant.comments];
}

/** Schemas, actions and durable events. */
const isDescribed = (name: string): boolean => {
  const value = (contracts as Record<string, unknown>)[name];
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof z.ZodType || 'callers' in value || 'stream' in value;
};

/** Comments by name and path: of a schema `VaultDetail.merkle.in_sync`, of an action `GetPps.result.hwm_steps`, of a route `users.body.name`. */
export function contractComments(): Record<string, string> {
  const files = globSync('packages/contracts/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .map((file) => constantsIn(readFileSync(join(root, file), 'utf8')));
  const exported = new Map(
    files.flat().flatMap((constant) => (constant.isExported ? [[constant.name, constant] as const] : [])),
  );
  const all = new Map<string, string>();
  for (const file of files) {
    const byName = new Map(file.map((constant) => [constant.name, constant]));
    for (const constant of file)
      for (const [path, text] of commentsOf(constant, byName, exported)) {
        const [first = '', second] = path.split('.');
        if (isDescribed(constant.name)) all.set(joined(constant.name, path), text);
        else if (Object.hasOwn(contracts.routes, first) && second === 'body') all.set(path, text);
      }
  }
  return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const text = (): string => `${JSON.stringify(contractComments(), undefined, 1)}\n`;

if (import.meta.main) writeFileSync(target, text());
