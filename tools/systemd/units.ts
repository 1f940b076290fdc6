import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings of a unit by section and name, in the order in which systemd reads them; a name may be set several times. */
export type Unit = ReadonlyMap<string, readonly string[]>;

function add(settings: Map<string, string[]>, text: string): void {
  let section = '';
  for (const line of text.split('\n')) {
    const header = /^\[(\w+)\]$/.exec(line)?.[1];
    if (header) section = header;
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (!name) continue;
    const key = `${section}.${name}`;
    // An empty value takes back what was said before.
    settings.set(key, value === '' ? [] : [...(settings.get(key) ?? []), value]);
  }
}

/** A unit of a folder with its drop-ins. @param name - With its instance: `castellan@vaults.service`. */
export function readUnit(folder: string, name: string): Unit {
  const [, prefix, instance, suffix] = /^([^@.]+)(?:@([^.]+))?(\..+)$/.exec(name) ?? [];
  const file = instance ? `${prefix}@${suffix}` : name;
  const dropIns = existsSync(join(folder, `${name}.d`))
    ? globSync('*.conf', { cwd: join(folder, `${name}.d`) }).sort()
    : [];
  const settings = new Map<string, string[]>();
  for (const each of [file, ...dropIns.map((dropIn) => join(`${name}.d`, dropIn))])
    add(settings, readFileSync(join(folder, each), 'utf8'));
  const expanded = [...settings].map(
    ([key, values]) => [key, values.map((value) => value.replaceAll('%i', instance ?? ''))] as const,
  );
  return new Map(expanded);
}

export const valuesOf = (unit: Unit, key: string): readonly string[] => unit.get(key) ?? [];

/** Files that systemd hands over as credentials, by their name. */
export const credentialsOf = (unit: Unit): Map<string, string> =>
  new Map(
    valuesOf(unit, 'Service.LoadCredential').map((value) => {
      const at = value.indexOf(':');
      return [value.slice(0, at), value.slice(at + 1)];
    }),
  );

/** What `Environment=` says. @param credentials - The folder that `%d` stands for. */
export const environmentOf = (unit: Unit, credentials: string): Map<string, string> =>
  new Map(
    valuesOf(unit, 'Service.Environment').map((value) => {
      const at = value.indexOf('=');
      return [value.slice(0, at), value.slice(at + 1).replaceAll('%d', credentials)];
    }),
  );
