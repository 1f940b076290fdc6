import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageFile = (specifier: string): string => fileURLToPath(String(import.meta.resolve(specifier).split('?')[0]));

/** The fields of an interface of kubernetes-models, each with the file of its own interface where it has one. */
type Fields = ReadonlyMap<string, string | undefined>;

const read = new Map<string, Fields>();

function declarationOf(specifier: string, from: string): string {
  const path = specifier.startsWith('.') ? join(dirname(from), specifier) : packageFile(specifier);
  return path.replace(/\.js$/, '.d.ts');
}

/** The schemas accept fields they do not know, as a misspelt one is; the declarations beside them name all there are. */
function fieldsOf(file: string): Fields {
  const known = read.get(file);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const imports = new Map(
    [...text.matchAll(/^import \{ (\w+) \} from "([^"]+)";$/gm)].map(([, name, specifier]) => [
      `${name}`,
      `${specifier}`,
    ]),
  );
  const body = /^export interface \w+ (?:extends TypeMeta )?\{\n([\s\S]*?)^\}/m.exec(text)?.[1] ?? '';
  const fields = new Map(
    [...body.matchAll(/^ {4}"([^"]+)"\??: (?:Array<)?(\w+)?/gm)].map(([, name, type]) => {
      const specifier = imports.get(`${type}`);
      return [`${name}`, specifier && declarationOf(specifier, file)] as const;
    }),
  );
  read.set(file, fields);
  return fields;
}

function unknownIn(value: unknown, file: string, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => unknownIn(item, file, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  const fields = fieldsOf(file);
  // A quantity or a port is declared as a type of several, without fields.
  if (fields.size === 0) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = `${path}.${name}`;
    if (!fields.has(name)) return [place];
    const type = fields.get(name);
    return type ? unknownIn(inner, type, place) : [];
  });
}

/** Paths of the fields of a manifest that its kind does not have. */
export function unknownFields(manifest: { apiVersion: string; kind: string }): string[] {
  const { apiVersion, kind } = manifest;
  const module = apiVersion.startsWith('monitoring.') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  const folder = dirname(packageFile(`${module}/${apiVersion}`));
  const file = join(folder, `${kind}.d.ts`);
  return existsSync(file) ? unknownIn(manifest, file, kind) : [`${kind} of ${apiVersion} is no kind of the schemas`];
}
