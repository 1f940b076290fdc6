import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { deploySecrets } from '../../../tools/deploy-secrets.ts';
import { natsFiles } from '../src/bus.ts';
import { configurationSchema } from '../src/configuration.ts';
import { escapedForHelm, outputOf } from '../src/output.ts';
import { repository } from '../src/repository.ts';
import { readExample } from './snapshot.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-kubernetes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files: ReadonlyMap<string, string>;
let secrets: ReadonlyMap<string, readonly string[]>;
beforeAll(async () => {
  ({ files, secrets } = await outputOf(readExample()));
});

const hasTool = (tool: string) => spawnSync(tool, ['--version']).error === undefined;
const onCi = process.env.CI === 'true';

describe('the Helm chart', () => {
  test('default: has a Chart.yaml and every manifest but the namespace, which helm makes itself', () => {
    expect(parse(`${files.get('helm/castellan/Chart.yaml')}`)).toMatchObject({ apiVersion: 'v2', name: 'castellan' });
    const named = (prefix: string) =>
      [...files.keys()]
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length))
        .sort();
    expect(['namespace.yaml', ...named('helm/castellan/templates/')].sort()).toEqual(named('manifests/'));
  });

  // amtool renders with the same templates of Go as Helm does.
  (hasTool('amtool') || onCi ? test : test.skip)('behavior: a template renders to the manifest, braces and all', () => {
    const bare = [...files].filter(([path, text]) => path.startsWith('manifests/') && text.includes('{{'));
    expect(bare.map(([path]) => path)).toEqual(expect.arrayContaining(['manifests/monitoring.yaml']));
    const text = `${files.get('manifests/monitoring.yaml')}`;
    const empty = join(folder, 'none.tmpl');
    writeFileSync(empty, '');
    const args = ['template', 'render', `--template.glob=${empty}`, `--template.text=${escapedForHelm(text)}`];
    const { status, stdout } = spawnSync('amtool', args, { encoding: 'utf8', maxBuffer: 2 ** 24 });
    expect(status).toBe(0);
    expect(stdout.trimEnd()).toBe(text.trimEnd());
  });

  test('behavior: no text asks helm for anything but braces', () => {
    for (const [path, text] of files)
      if (path.startsWith('helm/castellan/templates/'))
        expect([path, text.replaceAll('{{ "{{" }}', '')]).toEqual([path, expect.not.stringContaining('{{')]);
  });
});

describe('the bus', () => {
  (hasTool('nats-server') || onCi ? test : test.skip)(
    'behavior: nats-server accepts its configuration, with and without a cluster',
    () => {
      const { bus } = readExample();
      if (bus.kind !== 'cluster') throw new Error('The example has a bus of its own.');
      const validatorsConf = repository('deploy/nats/validators.conf');
      const oracles = [...readFileSync(validatorsConf, 'utf8').matchAll(/\$(NATS_ORACLE_\w+)/g)].map(
        ([, name]) => `${name}`,
      );
      const names = [...(secrets.get('castellan-nats') ?? []), ...oracles];
      const passwords = Object.fromEntries(names.map((name) => [name, `pw${name}`]));
      const routes = Object.fromEntries(
        [0, 1, 2].map((n) => [`NATS_ROUTE_${n}`, `nats://route:pw@nats-${n}.nats-members:6222`]),
      );
      for (const variant of [bus, { ...bus, servers: 1 as const }, { ...bus, validatorsConf }]) {
        for (const [name, text] of Object.entries(natsFiles(variant))) writeFileSync(join(folder, name), text);
        const env = { ...process.env, ...passwords, ...routes, POD_NAME: 'nats-0' };
        const { status, stderr } = spawnSync('nats-server', ['-t', '-c', join(folder, 'nats.conf')], {
          env,
          encoding: 'utf8',
        });
        expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('is valid') });
      }
    },
  );
});

describe('the secrets', () => {
  test('behavior: the script makes each with its keys, from files that tools/deploy-secrets.ts makes or the page names', () => {
    const script = `${files.get('create-secrets.sh')}`;
    const made = new Set([...Object.keys(deploySecrets(() => 'x'.repeat(64)))]);
    const page = readFileSync(repository('docs/operations/kubernetes.md'), 'utf8');
    for (const [secret, keys] of secrets) {
      const command = new RegExp(`make_secret ${secret} (?:.|\\n)*?(?=\\n\\n|$)`).exec(script)?.[0] ?? '';
      if (command.includes('--from-env-file')) continue;
      for (const key of keys) {
        const file = new RegExp(`--from-file=${key}="\\$folder/([^"]+)"`).exec(command)?.[1];
        const isNamed = made.has(`${file}`) || `${file}`.startsWith('service-keys/') || page.includes(`\`${file}\``);
        expect([secret, key, file, isNamed]).toEqual([secret, key, file, true]);
      }
    }
    const passwords = `${deploySecrets(() => 'x'.repeat(64))['nats.env']}`;
    for (const name of secrets.get('castellan-nats') ?? []) expect(passwords).toContain(`${name}=`);
  });

  test('behavior: no manifest holds one', () => {
    for (const [path, text] of files)
      for (const document of parseAllDocuments(text)) {
        if (!path.startsWith('manifests/')) continue;
        expect([path, (document.toJS() as { kind: string }).kind]).toEqual([
          path,
          expect.not.stringMatching(/^Secret$/),
        ]);
      }
  });
});

test('default: configuration.schema.json is that of the configuration; else run node deploy/kubernetes/src/main.ts --schema', () => {
  const kept = JSON.parse(readFileSync(repository('deploy/kubernetes/configuration.schema.json'), 'utf8')) as unknown;
  expect(kept).toEqual(JSON.parse(JSON.stringify(configurationSchema())));
});
