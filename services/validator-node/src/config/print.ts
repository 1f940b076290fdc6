import type { z } from 'zod';
import { looksSecret } from './faults.ts';
import { aboutOf, isSecret, isSection, schemaAt, shapeOf } from './field.ts';
import { ChainsFile, NodeFile } from './schema.ts';

const quoted = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(quoted).join(', ')}]` : JSON.stringify(value);

/** A URL keeps its host, so that the operator recognises it: keys stand in the path, the query or before the @. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  return String(value)
    .split(/,\s*(?=[a-z+]+:\/\/)/)
    .map(maskedUrl)
    .join(', ');
}

function maskedUrl(text: string): string {
  const [, scheme, rest] = /^([a-z+]+):\/\/(.*)$/.exec(text) ?? [];
  if (!scheme || rest === undefined) return '[secret]';
  const host = rest.replace(/^[^/?#]*@/, '').replace(/[/?#].*$/, '');
  return `${scheme}://${host}${rest === host ? '' : '/[secret]'}`;
}

/** Milliseconds as the shortest duration that says the same. */
export function printDuration(ms: number): string {
  for (const [unit, size] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const)
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}

const isDuration = (schema: z.ZodType) => aboutOf(schema)?.allowed.startsWith('a duration') ?? false;

function lines(schema: z.ZodType, value: Record<string, unknown>, path: readonly string[]): string[] {
  const own: string[] = [];
  const inner: string[] = [];
  for (const [name, item] of Object.entries(value)) {
    const field = schemaAt(schema, [...path, name]);
    if (item === undefined) continue;
    if (field && isSection(field) && typeof item === 'object' && item !== null) {
      const below = lines(schema, item as Record<string, unknown>, [...path, name]);
      if (below.length > 0) inner.push('', `[${[...path, name].join('.')}]`, ...below);
    } else own.push(`${name} = ${printed(field, item)}`);
  }
  return [...own, ...inner];
}

function printed(field: z.ZodType | undefined, item: unknown): string {
  // An unknown key may be a secret under a wrong name.
  if (!field) return '"[not shown]"';
  if (isSecret(field)) return quoted(masked(item));
  const text = isDuration(field) && typeof item === 'number' ? quoted(printDuration(item)) : quoted(item);
  return looksSecret(text) ? '"[not shown]"' : text;
}

/** The configuration a node would run with, as TOML, secrets masked. */
export function printConfig(effective: Record<string, unknown>): string {
  const { chains, ...node } = effective;
  const text = lines(NodeFile, node, []);
  for (const [i, chain] of ((chains as Record<string, unknown>[] | undefined) ?? []).entries()) {
    const of = schemaAt(ChainsFile, ['chains', i]) as z.ZodType;
    text.push('', '[[chains]]', ...lines(of, chain, []));
  }
  return `${text.join('\n')}\n`;
}

const defaultOf = (schema: z.ZodType): unknown => {
  const { defaultValue } = schema.def as { defaultValue?: unknown };
  return defaultValue;
};

function templateLines(schema: z.ZodType, path: readonly string[]): string[] {
  const own: string[] = [];
  const inner: string[] = [];
  for (const [name, field] of Object.entries(shapeOf(schema))) {
    if (isSection(field)) {
      inner.push('', `[${[...path, name].join('.')}]`, ...templateLines(field, [...path, name]));
      continue;
    }
    const about = aboutOf(field);
    const value = about?.example ?? defaultOf(field);
    if (own.length > 0) own.push('');
    own.push(`# ${about?.about} Expected: ${about?.allowed}.`);
    own.push(value === undefined ? `# ${name} =` : `${name} = ${quoted(value)}`);
  }
  return [...own, ...inner];
}

const head =
  '# Made from the schema by `castellan-validator validate --template`; a test notices when it is stale.\n\n';

export const nodeTemplate = (): string => `${head}${templateLines(NodeFile, []).join('\n')}\n`;

export const chainsTemplate = (): string =>
  `${head}[[chains]]\n${templateLines(schemaAt(ChainsFile, ['chains', 0]) as z.ZodType, []).join('\n')}\n`;

function rows(schema: z.ZodType, path: readonly string[]): string[] {
  return Object.entries(shapeOf(schema)).flatMap(([name, field]) => {
    const key = [...path, name];
    if (isSection(field)) return rows(field, key);
    const about = aboutOf(field);
    const preset = defaultOf(field);
    const need =
      preset !== undefined ? `\`${quoted(preset)}\`` : field.safeParse(undefined).success ? 'optional' : 'required';
    return `| \`${key.join('.')}\` | ${need} | ${about?.allowed} | ${about?.about} |`;
  });
}

const table = (schema: z.ZodType) =>
  ['| Key | Default | Allowed | |', '|---|---|---|---|', ...rows(schema, [])].join('\n');

/** `docs/validator-configuration.md`. */
export const configurationPage = (): string => `# Configuration of a validator node

Made from the schema by \`castellan-validator validate --docs\`; a test notices when it is stale.

Read in this order, later over earlier: defaults, \`config.toml\`, the environment, \`--set\`. A key of a section is
\`VALIDATOR__SECTION__KEY\` in the environment (lists separated by commas); a secret may instead stand in a file named by
\`VALIDATOR__SECTION__KEY_FILE\`. An unknown key is a fault. All faults are reported together, with file, line and column.
Relative paths start at the folder of \`config.toml\`.

## config.toml

${table(NodeFile)}

## chains.toml

Once per chain, under \`[[chains]]\`.

${table(schemaAt(ChainsFile, ['chains', 0]) as z.ZodType)}
`;
