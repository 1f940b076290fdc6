import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { readEnvironments } from '../../deploy/kubernetes/src/environments.ts';
import { bundledServices, preload, programs } from '../bundle/programs.ts';
import { commandOf, instructionOf, readStages, variablesOf } from './dockerfile.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const stages = readStages(root);
const text = readFileSync(join(root, 'Dockerfile'), 'utf8');

test('default: there is a target for each service, and nothing else but how they are built', () => {
  expect([...stages.keys()].sort()).toEqual([...bundledServices, 'build', 'service'].sort());
  expect(
    text
      .match(/for service in (.*); do/)?.[1]
      ?.split(' ')
      .sort(),
  ).toEqual([...bundledServices].sort());
});

test('behavior: every stage begins with the base image that is given', () => {
  const bases = [...stages.values()].map(({ base }) => base);
  expect(new Set(bases)).toEqual(new Set([`\${BASE_IMAGE}`, 'service']));
  expect(text).toMatch(/^ARG BASE_IMAGE=node:24-slim$/m);
  expect(text).not.toMatch(/ADD http|curl .*\| *sh/);
});

test('behavior: the build has all pages of the documentation, of which the web takes some, and no secret', () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['!bench/README.md', 'deploy/secrets', '.env']));
  // Each by its name: buildah finds none in the folder of an ignored folder by a pattern with `**`.
  const pagesOfTests = globSync('tests/**/README.md', { cwd: root });
  expect(pagesOfTests.length).toBeGreaterThan(1);
  expect(ignored).toEqual(expect.arrayContaining(pagesOfTests.map((page) => `!${page}`)));
  expect(ignored.filter((line) => line.startsWith('docs'))).toEqual([]);
  const config = readFileSync(join(root, 'web/vite.config.ts'), 'utf8');
  const pages = [...config.matchAll(/'\.\.\/(docs\/[^']+)'/g)].map(([, page]) => String(page));
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) expect(page).toMatch(/^docs\/runbooks\//);
});

describe.each(bundledServices)('%s', (service) => {
  test('default: has its bundle alone, and starts a program of it under tracing', () => {
    const copies =
      stages
        .get(service)
        ?.instructions.filter(({ name }) => name === 'COPY')
        .map((copy) => copy.text) ?? [];
    const pages = ['--from=build /bundles/web ./web/dist', '--from=build /bundles/docs ./docs/site/dist'];
    expect(copies).toEqual([`--from=build /bundles/${service} ./`, ...(service === 'gateway' ? pages : [])]);
    const [node, flag, loaded, program] = commandOf(stages, service);
    expect([node, flag, loaded]).toEqual(['node', '--import', `./${preload.replace(/ts$/, 'js')}`]);
    const sources = programs[service].map((file) => `services/${service}/${file}`);
    expect(sources).toContain(String(program).replace(/js$/, 'ts'));
    expect(existsSync(join(root, String(program).replace(/js$/, 'ts')))).toBe(true);
  });

  test('behavior: runs as a user who owns no file of it, in production, and reports its health', () => {
    expect(instructionOf(stages, service, 'USER')).toBe('node');
    expect(text).not.toContain('--chown');
    expect(variablesOf(stages, service).get('NODE_ENV')).toBe('production');
    expect(instructionOf(stages, service, 'HEALTHCHECK')).toMatch(/CMD \["node", .*MONITORING_PORT \+ '\/healthz'/);
    const exposed = instructionOf(stages, service, 'EXPOSE')?.split(' ');
    expect(exposed).toContain(variablesOf(stages, service).get('MONITORING_PORT'));
  });
});

test('behavior: the ports of services are those of their schemas, and the gateway must serve the pages it holds', async () => {
  const environments = await readEnvironments(['gateway', 'auth', 'vaults', 'analytics', 'users', 'ai']);
  for (const [service, schema] of environments) {
    const image = variablesOf(stages, service);
    const { MONITORING_PORT, WEB_DIST, DOCS_DIST } = Object.fromEntries(image);
    const read = (variable: string) => schema.shape[variable]?.safeParse(undefined).data as number | undefined;
    expect([service, Number(MONITORING_PORT)]).toEqual([service, read('MONITORING_PORT')]);
    const pages = service === 'gateway' ? ['/app/web/dist', '/app/docs/site/dist'] : [undefined, undefined];
    expect([service, WEB_DIST, DOCS_DIST]).toEqual([service, ...pages]);
  }
});
