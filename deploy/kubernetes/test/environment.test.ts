import { readFileSync } from 'node:fs';
import { baseEnvironment } from '@castellan/service-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigurationFault, manifestsOf } from '../src/app.ts';
import { type Environments, environmentFaults, faultsOf, readEnvironments } from '../src/environments.ts';
import { configurationOf } from '../src/read.ts';
import { repository } from '../src/repository.ts';
import { environmentOf } from '../src/services.ts';
import { workloadsOf } from '../src/workloads.ts';
import { readExample } from './snapshot.ts';

type Compose = {
  services: Record<string, { environment?: Record<string, string>; command?: string[]; secrets?: unknown[] }>;
};
const compose = parse(readFileSync(repository('docker-compose.yml'), 'utf8'), { merge: true }) as Compose;
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
    const wrong = { ...example.services, gateway: { environment: { RATE_API_BURST: 'many' } } };
    const made = manifestsOf({ ...example, services: wrong });
    await expect(made).rejects.toThrow(ConfigurationFault);
    await expect(made).rejects.toThrow(/^gateway: RATE_API_BURST /);
  });

  test('behavior: a model of a vendor brings its key, a server of one’s own does not', () => {
    const withModel = (environment: Record<string, string>) => {
      const configured = { ...example, services: { ...example.services, ai: { environment } } };
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
