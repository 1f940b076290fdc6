import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { baseEnvironment, isSecret } from '@castellan/service-kit';
import { z } from 'zod';

/**
 * Writes `docs/configuration.md` from the schema of each service's environment: `node tools/env-docs.ts`. A test notices
 * when it is stale.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const target = join(root, 'docs/configuration.md');

type Variable = { name: string; need: string; about: string };

/** The comment above the variable in the schema's source. */
const aboutOf = (source: string, name: string): string =>
  (new RegExp(`/\\*\\*[\\s*]+((?:[^*]|\\*(?!/))*)\\*/\\s*${name}:`).exec(source)?.[1] ?? '')
    .replaceAll(/\s+(?:\* )?/g, ' ')
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

const common = readFileSync(join(root, 'packages/service-kit/src/config.ts'), 'utf8');

/** What declares the variables of a process: its configuration, and what the processes of its service have in common. */
export function sourceOf(file: string): string {
  const service = file.split('/').slice(0, 2).join('/');
  const shared = globSync(`${service}/src/*/environment.ts`, { cwd: root });
  return [file, ...shared].map((path) => readFileSync(join(root, path), 'utf8')).join('');
}

/** Name as the page has it, with the form by file beside a secret's. */
const isCommon = (name: string): boolean =>
  name !== 'MONITORING_PORT' && Object.hasOwn(baseEnvironment, name.split('`')[0] ?? '');

const table = (variables: readonly Variable[]): string =>
  `| Variable | Default | |\n|---|---|---|\n${variables.map(({ name, need, about }) => `| \`${name}\` | ${need} | ${about} |\n`).join('')}`;

/** The page's text. */
export async function configurationPage(): Promise<string> {
  let text =
    '# Configuration\n\nEvery service reads its environment once, when it starts, and names all faults together.\n';
  text +=
    'A secret may stand in a file instead: `NATS_URL_FILE` names the one that holds `NATS_URL`. A service gets its own secrets only.\n';
  text += 'An empty variable counts as unset. This page is made from the schemas by `node tools/env-docs.ts`.\n';
  text += '\n## Every service\n\nThe port of metrics and health has a default of its own in each.\n\n';
  text += table(variablesOf(z.object(baseEnvironment), common));
  for (const file of globSync('services/*/src/{,keeper/}config.ts', { cwd: root }).sort()) {
    const { Environment } = (await import(join(root, file))) as { Environment: z.ZodObject };
    const own = variablesOf(Environment, sourceOf(file) + common).filter(({ name }) => !isCommon(name));
    const parts = file.split('/');
    text += `\n## ${parts[3] === 'config.ts' ? parts[1] : parts[3]}\n\n${table(own)}`;
  }
  return text;
}

if (import.meta.main) writeFileSync(target, await configurationPage());
