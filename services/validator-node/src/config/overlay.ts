import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Fault } from './faults.ts';
import { bare, isSecret, isSection, schemaAt, shapeOf } from './field.ts';
import { nearest } from './nearest.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Values that came from elsewhere than the file, by path, with the name they came under. */
export type Overlay = { values: Map<string, unknown>; names: Map<string, string>; faults: Fault[] };

const prefix = 'VALIDATOR__';

/** Text as the type of its key wants it; what does not fit stays text, and the schema says so. */
function typed(text: string, schema: z.ZodType): unknown {
  const inner = bare(schema);
  if (inner instanceof z.ZodNumber) return /^-?\d+$/.test(text) ? Number(text) : text;
  if (inner instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  if (inner instanceof z.ZodArray)
    return text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return text;
}

const leavesOf = (schema: z.ZodType, path: readonly string[] = []): string[] =>
  Object.entries(shapeOf(schema)).flatMap(([name, field]) =>
    isSection(field) ? leavesOf(field, [...path, name]) : [[...path, name].join('.')],
  );

const leafAt = (schema: z.ZodType, path: readonly string[]): z.ZodType | undefined => {
  const found = schemaAt(schema, path);
  return found && !isSection(found) ? found : undefined;
};

const asEnvironment = (path: string) => `${prefix}${path.toUpperCase().replaceAll('.', '__')}`;

/** `VALIDATOR__SECTION__KEY`; of a secret also `VALIDATOR__SECTION__KEY_FILE`, the path of a file that holds it. */
export function fromEnvironment(schema: z.ZodType, env: Environment): Overlay {
  const overlay: Overlay = { values: new Map(), names: new Map(), faults: [] };
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(prefix) || text === undefined || text.trim() === '') continue;
    const path = name.slice(prefix.length).toLowerCase().split('__');
    const leaf = leafAt(schema, path);
    if (leaf) put(overlay, path, name, typed(text, leaf));
    else fromSecretFile(overlay, schema, path, name, text);
  }
  return overlay;
}

function fromSecretFile(overlay: Overlay, schema: z.ZodType, path: readonly string[], name: string, file: string) {
  const target = [...path.slice(0, -1), (path.at(-1) as string).replace(/_file$/, '')];
  const leaf = (path.at(-1) as string).endsWith('_file') ? leafAt(schema, target) : undefined;
  if (!leaf || !isSecret(leaf)) {
    const known = leavesOf(schema).map(asEnvironment);
    const meant = nearest(
      name,
      known.map((each) => each.toLowerCase()),
    )?.toUpperCase();
    const expected = meant
      ? `a known variable; did you mean ${meant}?`
      : `${prefix}SECTION__KEY with a key of config.toml`;
    overlay.faults.push({ where: name, path: path.join('.'), got: 'an unknown variable', expected });
    return;
  }
  try {
    put(overlay, target, name, typed(readFileSync(file, 'utf8').trim(), leaf));
  } catch (error) {
    const got = `a file that cannot be read (${(error as NodeJS.ErrnoException).code})`;
    overlay.faults.push({ where: name, path: target.join('.'), got, expected: 'the path of a readable file' });
  }
}

/** `--set section.key=value`. */
export function fromFlags(schema: z.ZodType, flags: readonly string[]): Overlay {
  const overlay: Overlay = { values: new Map(), names: new Map(), faults: [] };
  for (const flag of flags) {
    const at = flag.indexOf('=');
    const key = (at < 0 ? flag : flag.slice(0, at)).trim();
    const path = key.split('.');
    const where = `--set ${key}`;
    const leaf = leafAt(schema, path);
    const refuse = (got: string, expected: string) => overlay.faults.push({ where, path: key, got, expected });
    if (!leaf) {
      const meant = nearest(key, leavesOf(schema));
      refuse('an unknown key', meant ? `a known key; did you mean ${meant}?` : 'section.key=value');
    } else if (at < 0) refuse('no value', `${key}=value`);
    else if (isSecret(leaf))
      refuse('a secret', `no secrets on the command line, which others can read: use ${asEnvironment(key)}_FILE`);
    else put(overlay, path, where, typed(flag.slice(at + 1), leaf));
  }
  return overlay;
}

function put(overlay: Overlay, path: readonly string[], name: string, value: unknown) {
  overlay.values.set(path.join('.'), value);
  overlay.names.set(path.join('.'), name);
}

/** Lays the values over a parsed file; tables that are missing are made. */
export function applyOverlay(base: Record<string, unknown>, { values }: Overlay): void {
  for (const [name, value] of values) {
    const path = name.split('.');
    let at = base;
    for (const key of path.slice(0, -1)) {
      const next = at[key];
      if (typeof next !== 'object' || next === null) at[key] = {};
      at = at[key] as Record<string, unknown>;
    }
    at[path.at(-1) as string] = value;
  }
}
