import { ConfigError } from '@castellan/service-kit';
import { z } from 'zod';
import { aboutOf, bare, isSecret, schemaAt, shapeOf } from './field.ts';
import { nearest } from './nearest.ts';
import { retired } from './schema.ts';

/** One fault: where it stands, which key, what was found and what may stand there. Never the value of a secret. */
export type Fault = { where: string; path: string; got: string; expected: string };

/** Says where the value of a path came from: `config.toml:12:1`, `VALIDATOR__NODE__NODE_ID` or `--set node.node_id`. */
export type Whereabouts = (path: readonly string[]) => string;

export class NodeConfigError extends ConfigError {
  readonly found: readonly Fault[];

  constructor(found: readonly Fault[]) {
    super(found.map(({ where, path, got, expected }) => ({ name: `${where}: ${path}`, message: said(got, expected) })));
    this.name = 'NodeConfigError';
    this.found = found;
  }
}

const said = (got: string, expected: string) => `got ${got}, expected ${expected}`;

/** A secret under the wrong key must not be printed either. */
export const looksSecret = (text: string): boolean => /[0-9a-fA-F]{48,}|:\/\/[^\s"]*@/.test(text);

const longestShown = 80;

const shown = (value: unknown, schema: z.ZodType | undefined): string => {
  if (value === undefined) return 'nothing';
  if (isSecret(schema)) return 'a secret that is not shown';
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return 'a table';
  const text = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item));
  if (looksSecret(text)) return 'a value that may be secret and is not shown';
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);

const sectionNames = (schema: z.ZodType | undefined): string[] =>
  schema && bare(schema) instanceof z.ZodObject ? Object.keys(shapeOf(schema)) : [];

function unknownKey(path: readonly string[], section: z.ZodType | undefined): string {
  const name = path.at(-1) as string;
  const instead = retired[path.filter((key) => !/^\d+$/.test(key)).join('.')];
  if (instead) return `no such key here: ${instead}`;
  const known = sectionNames(section);
  const meant = nearest(name, known);
  return meant ? `a known key; did you mean ${meant}?` : `one of the keys ${known.join(', ')}`;
}

/** What zod found, as faults an operator can act on. */
export function faultsOf(error: z.ZodError, schema: z.ZodType, input: unknown, whereabouts: Whereabouts): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      const section = schemaAt(schema, path);
      return issue.keys.map((key) => {
        const full = [...path, key];
        return {
          where: whereabouts(full),
          path: full.join('.'),
          got: 'an unknown key',
          expected: unknownKey(full, section),
        };
      });
    }
    const target = schemaAt(schema, path);
    const parent = schemaAt(schema, path.slice(0, -1)); // An item of a list is described, and kept secret, with its list.
    const allowed = (target && aboutOf(target)?.allowed) ?? (parent && aboutOf(parent)?.allowed);
    const isTable = target !== undefined && bare(target) instanceof z.ZodObject;
    return [
      {
        where: whereabouts(path),
        path: path.join('.'),
        got: shown(valueAt(input, issue.path), isSecret(parent) ? parent : target),
        expected: allowed ?? (isTable ? `a [${path.join('.')}] table` : issue.message),
      },
    ];
  });
}

const placeOf = ({ where }: Fault): [file: string, line: number, column: number] => {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(where) ?? [];
  return [file ?? where, Number(line ?? 0), Number(column ?? 0)];
};

/** As one reads the files: the first file that is named first, each from top to bottom. */
export function inReadingOrder(faults: readonly Fault[]): Fault[] {
  const files = [...new Set(faults.map((fault) => placeOf(fault)[0]))];
  const rank = (fault: Fault) => files.indexOf(placeOf(fault)[0]);
  return [...faults].sort((a, b) => {
    const [, lineA, columnA] = placeOf(a);
    const [, lineB, columnB] = placeOf(b);
    return rank(a) - rank(b) || lineA - lineB || columnA - columnB;
  });
}
