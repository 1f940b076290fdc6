import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { baseEnvironment } from '@castellan/service-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { deploySecrets } from '../../../tools/castellan/secrets.ts';
import { ConfigurationFault, manifestsOf } from '../src/app.ts';
import { natsFiles, tlsFolder } from '../src/bus.ts';
import { configurationSchema } from '../src/configuration.ts';
import { type Environments, environmentFaults, faultsOf, readEnvironments } from '../src/environments.ts';
import { escapedForHelm, outputOf } from '../src/output.ts';
import { configurationOf } from '../src/read.ts';
import { repository } from '../src/repository.ts';
import { environmentOf } from '../src/services.ts';
import { storeExporterArgs } from '../src/store-exporter.ts';
import { workloadsOf } from '../src/workloads.ts';
import { readExample } from './snapshot.ts';

// One file: each loads the contracts and the configuration of every service anew.
type Compose = {
  services: Record<string, { environment?: Record<string, string>; command?: string[]; secrets?: unknown[] }>;
};
const compose = parse(readFileSync(repository('docker-compose.yml'), 'utf8'), {
  merge: true,
  maxAliasCount: -1,
}) as Compose;
const example = readExample();
const workloads = workloadsOf(example);
let environments: Environments;
beforeAll(async () => {
  environments = await readEnvironments(workloads.keys());
});

describe('the variables of each service', () => {
  test('default: exist, are accepted by its schema, and none that it needs is missing', () =>
    expect(environmentFaults(example, workloads, environments)).toEqual([]));

  test('error: unknown, missing and refused ones are found, and secrets that stand in the open', () => {
    const schema = z.object({ ...baseEnvironment, NEEDED: z.string() });
    const files = {
      NATS_URL_FILE: '/a',
      MONGODB_URI_FILE: '/b',
      SERVICE_KEY_FILE: '/c',
      SERVICE_PUBLIC_KEYS_FILE: '/d',
    };
    expect(faultsOf(schema, { ...files, MONITORING_PORT: '1', NEEDED: 'x' })).toEqual([]);
    expect(
      faultsOf(schema, {
        ...files,
        NATS_URL_FILE: '',
        MONITORING_PORT: 'x',
        LOG_LEVL: 'info',
        MONGODB_URI: 'mongodb://u:p@h',
      }),
    ).toEqual([
      expect.stringMatching(/^MONITORING_PORT /),
      'LOG_LEVL is no variable of the service',
      'MONGODB_URI is a secret: it belongs into a secret, not into the configuration',
      'NEEDED is not set',
    ]);
    expect(faultsOf(schema, { ...files, MONITORING_PORT: '1', NEEDED: 'x', NODE_ENV_X_FILE: '/e' })).toEqual([
      'NODE_ENV_X_FILE is no variable of the service',
    ]);
  });

  test('error: a configuration with a variable that a service refuses makes nothing', async () => {
    const wrong = {
      ...example.services,
      gateway: { ...example.services.gateway, environment: { RATE_API_BURST: 'many' } },
    };
    const made = manifestsOf({ ...example, services: wrong });
    await expect(made).rejects.toThrow(ConfigurationFault);
    await expect(made).rejects.toThrow(/^gateway: RATE_API_BURST /);
  });

  test('behavior: a model of a vendor brings its key, a server of one’s own does not', () => {
    const withModel = (environment: Record<string, string>) => {
      const { services } = example;
      const configured = { ...example, services: { ...services, ai: { ...services.ai, environment } } };
      const workload = workloadsOf(configured).get('ai');
      return workload?.files.map(({ variable }) => variable);
    };
    expect(withModel({ AI_MODEL: 'openai:gpt-5' })).toEqual(['AI_API_KEY_FILE']);
    expect(withModel({ AI_MODEL: 'ollama:llama3' })).toEqual([]);
    expect(withModel({ AI_MODEL: 'openai:x', AI_BASE_URL: 'http://models' })).toEqual([]);
    expect(withModel({})).toEqual([]);
  });
});

describe('compose and Kubernetes run the same', () => {
  const plain = (variable: string) => variable.replace(/_FILE$/, '');

  test('behavior: the same services, with the same ports and commands', () => {
    const run = Object.entries(compose.services).filter(([, { environment }]) => environment?.MONITORING_PORT);
    expect(run.map(([name]) => name).sort()).toEqual([...workloads.keys()].sort());
    for (const [name, workload] of workloads) {
      const { environment = {}, command } = compose.services[name] ?? {};
      expect([name, `${workload.ports.monitoring}`]).toEqual([name, environment.MONITORING_PORT]);
      expect([name, workload.ports.http && `${workload.ports.http}`]).toEqual([
        name,
        environment.HTTP_PORT ?? environment.AI_HTTP_PORT,
      ]);
      expect([name, workload.command]).toEqual([name, command]);
    }
  });

  test('behavior: what compose sets, Kubernetes sets, unless it is empty there or the operator’s choice', () => {
    for (const [name, workload] of workloads) {
      const given = environmentOf(example, name, workload);
      const names = new Set(Object.keys(given).map(plain));
      const set = Object.entries(compose.services[name]?.environment ?? {}).filter(([, value]) => !/:-\}$/.test(value));
      const schema = environments.get(name);
      const missing = set
        .map(([variable]) => plain(variable))
        .filter((variable) => !names.has(variable) && variable in (schema?.shape ?? {}));
      // Optional there too; listed so that a new one is a decision.
      expect([name, missing.filter((variable) => !isOptional(schema, variable))]).toEqual([name, []]);
    }
  });

  const isOptional = (schema: z.ZodObject | undefined, variable: string) =>
    (schema?.shape[variable] as z.ZodType | undefined)?.safeParse(undefined).success === true;

  test('behavior: the store is measured alike, by a URI that may name several members, and so does the unit of Debian', () => {
    expect(storeExporterArgs).toContain('--no-mongodb.direct-connect');
    expect(compose.services['mongodb-exporter']?.command).toEqual(storeExporterArgs);
    const unit = readFileSync(repository('deploy/systemd/castellan-mongodb-exporter.service'), 'utf8');
    for (const argument of storeExporterArgs) expect(unit).toContain(` ${argument}`);
  });

  test('behavior: the health paths are those of the images', () => {
    for (const [name, { image, ports }] of workloads) {
      if (name === 'keeper') continue;
      const text = readFileSync(repository(`services/${image}/src/config.ts`), 'utf8');
      expect(text).toContain(`default(${ports.monitoring})`);
    }
  });
});

describe('error: a configuration', () => {
  const text = readFileSync(repository('deploy/kubernetes/example.yaml'), 'utf8');
  test.each([
    ['an unknown setting', text.replace('namespace:', 'namspace:'), /namspace/],
    [
      'an address without TLS',
      text.replace('https://castellan.example.org', 'http://castellan.example.org'),
      /publicUrl/,
    ],
    ['proxies that are everybody', text.replace('[10.4.0.0/16]', '["true"]'), /trustedProxies/],
    [
      'more least than most replicas',
      text.replace('keeper: {}', 'keeper: { replicas: { min: 3, max: 2 } }'),
      /min must not exceed max/,
    ],
    ['an even number of servers', text.replace('servers: 3', 'servers: 2'), /servers/],
  ])('with %s is refused', (_, wrong, message) => {
    expect(() => configurationOf(wrong, '.')).toThrow(message);
  });
});

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

  (hasTool('nats-server') || onCi ? test : test.skip)('behavior: with tlsSecret, clients and servers speak TLS', () => {
    const { bus } = readExample();
    if (bus.kind !== 'cluster') throw new Error('The example has a bus of its own.');
    const [key, crt] = ['tls.key', 'tls.crt'].map((name) => join(folder, name));
    const request = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      '/CN=nats',
    ];
    spawnSync('openssl', [...request, '-keyout', `${key}`, '-out', `${crt}`]);
    copyFileSync(`${crt}`, join(folder, 'ca.crt'));
    const names = secrets.get('castellan-nats') ?? [];
    const env = {
      ...process.env,
      ...Object.fromEntries(names.map((name) => [name, `pw${name}`])),
      ...Object.fromEntries([0, 1, 2].map((n) => [`NATS_ROUTE_${n}`, `nats://route:pw@nats-${n}.nats-members:6222`])),
      POD_NAME: 'nats-0',
    };
    for (const [name, text] of Object.entries(natsFiles({ ...bus, tlsSecret: 'nats-tls' })))
      writeFileSync(join(folder, name), text.replaceAll(tlsFolder, folder));
    const { status, stderr } = spawnSync('nats-server', ['-t', '-c', join(folder, 'nats.conf')], {
      env,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('is valid') });
    const conf = natsFiles({ ...bus, tlsSecret: 'nats-tls' })['nats.conf'];
    expect(conf).toMatch(/^tls \{ cert_file: /m);
    expect(conf).toMatch(/^cluster \{(?:.|\n)*^ {2}tls \{ .*ca_file: (?:.|\n)*^\}/m);
    expect(natsFiles(bus)['nats.conf']).not.toContain('tls');
  });
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

  test('security: no value is noted in an annotation, and what was noted once is taken away', () => {
    const commands = join(folder, 'commands');
    writeFileSync(join(folder, 'kubectl'), '#!/bin/sh\nprintf "%s\\n" "$*" >> "$COMMANDS"\n', { mode: 0o755 });
    writeFileSync(join(folder, 'create-secrets.sh'), `${files.get('create-secrets.sh')}`);
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, COMMANDS: commands };
    const { status, stderr } = spawnSync('sh', [join(folder, 'create-secrets.sh'), folder], { env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const run = readFileSync(commands, 'utf8').split('\n');
    const applied = run.filter((command) => command.includes(' apply '));
    expect(applied).toHaveLength(secrets.size);
    for (const command of applied) expect(command).toContain(' --server-side ');
    for (const name of secrets.keys())
      expect(run).toContain(`-n castellan annotate secret ${name} kubectl.kubernetes.io/last-applied-configuration-`);
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
