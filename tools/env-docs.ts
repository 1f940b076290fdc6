import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSecret } from '@castellan/service-kit';
import type { z } from 'zod';

/**
 * Writes `docs/configuration.md` from the schema of each service's environment: `node tools/env-docs.ts`. A test notices
 * when it is stale.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const target = join(root, 'docs/configuration.md');

type Variable = { name: string; need: string; about: string };

/** The comment above the variable in the schema's source. */
const aboutOf = (source: string, name: string): string =>
  (new RegExp(`/\\*\\* ([^*]*(?:\\*(?!/)[^*]*)*)\\*/\\s*${name}:`).exec(source)?.[1] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();

function variablesOf(schema: z.ZodObject, source: string): Variable[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const given = (field as z.ZodType).safeParse(undefined);
    const need = !given.success
      ? 'required'
      : given.data === undefined
        ? 'optional'
        : `\`${JSON.stringify(given.data)}\``;
    return {
      name: isSecret(field as z.ZodType) ? `${name}\`, \`${name}_FILE` : name,
      need: need.replaceAll(root, '.'),
      about: aboutOf(source, name),
    };
  });
}

/** What declares the variables of a process: its configuration, and what the processes of its service have in common. */
export function sourceOf(file: string): string {
  const service = file.split('/').slice(0, 2).join('/');
  const shared = globSync(`${service}/src/*/environment.ts`, { cwd: root });
  return [file, ...shared].map((path) => readFileSync(join(root, path), 'utf8')).join('');
}

/** The page's text. */
export async function configurationPage(): Promise<string> {
  let text =
    '# Configuration\n\nEvery service reads its environment once, when it starts, and names all faults together.\n';
  text +=
    'A secret may stand in a file instead: `NATS_URL_FILE` names the one that holds `NATS_URL`. A service gets its own secrets only.\n';
  text += 'An empty variable counts as unset. This page is made from the schemas by `node tools/env-docs.ts`.\n';
  for (const file of globSync('services/*/src/{,keeper/}config.ts', { cwd: root }).sort()) {
    const { Environment } = (await import(join(root, file))) as { Environment: z.ZodObject };
    const source = sourceOf(file);
    const parts = file.split('/');
    text += `\n## ${parts[3] === 'config.ts' ? parts[1] : parts[3]}\n\n| Variable | Default | |\n|---|---|---|\n`;
    for (const { name, need, about } of variablesOf(Environment, source))
      text += `| \`${name}\` | ${need} | ${about} |\n`;
  }
  return text;
}

if (import.meta.main) writeFileSync(target, await configurationPage());
