import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BusServiceName } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { alsoRequired, readEnvironments } from '../../deploy/kubernetes/src/environments.ts';
import { bundledPath, bundledServices, preload, programs } from '../bundle/programs.ts';
import { readEnvFile } from '../castellan/doctor/processes.ts';
import { deploySecrets } from '../castellan/secrets.ts';
import { credentialsOf, environmentOf, readUnit, valuesOf } from './units.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = join(root, 'deploy/systemd');
const services = ['gateway', 'auth', 'vaults', 'analytics', 'users', 'ai', 'keeper'] as const;
const environments = await readEnvironments(services as readonly BusServiceName[]);
const install = readFileSync(join(root, 'docs/operations/install.md'), 'utf8');
const unitOf = (service: string) => readUnit(folder, `castellan@${service}.service`);
const secrets = '/etc/castellan/secrets/';

/** The files that the page has the operator write. */
const written = new Map(
  [...install.matchAll(/cat > (\S+) <<'END'\n([\s\S]*?)\nEND\n/g)].map(([, file, text]) => [`${file}`, `${text}`]),
);
const settings = readEnvFile(written.get('/etc/castellan/castellan.env') ?? '');
/** Read by Node, or facts of the installation. */
const ofInstallation = ['NODE_OPTIONS', 'CASTELLAN_VERSION', 'CASTELLAN_COMMIT'];

describe.each(services)('castellan@%s', (service) => {
  const unit = unitOf(service);
  const shape = environments.get(service)?.shape ?? {};
  const given = environmentOf(unit, '/credentials');
  const setBy = (variable: string) => (variable in shape ? variable : variable.replace(/_FILE$/, ''));

  test('default: every variable exists in the schema of the service, with a value that it takes', () => {
    const unknown = [...given.keys()].filter((name) => !ofInstallation.includes(name) && !(setBy(name) in shape));
    expect(unknown).toEqual([]);
    for (const [variable, value] of [...given, ...Object.entries(settings)])
      expect([variable, shape[variable]?.safeParse(value).error?.issues]).toEqual([variable, undefined]);
  });

  test('behavior: every required variable is set, by the unit or by the file that the page has written', () => {
    const required = Object.keys(shape).filter(
      (variable) => alsoRequired.includes(variable) || !shape[variable]?.safeParse(undefined).success,
    );
    const set = [...given.keys(), ...Object.keys(settings)].map(setBy);
    expect(required.filter((variable) => !set.includes(variable))).toEqual([]);
  });

  test('security: it is handed its own secrets by file, each of which is made or named by the page', () => {
    const credentials = credentialsOf(unit);
    const files = [...given].flatMap(([name, value]) => (name.endsWith('_FILE') ? [value] : []));
    expect(files.sort()).toEqual([...credentials.keys()].map((name) => `/credentials/${name}`).sort());
    const made = [
      ...Object.keys(deploySecrets(() => 'x'.repeat(64))),
      ...['public', service].map((name) => `service-keys/${name}.json`),
    ];
    for (const file of credentials.values()) {
      const isNamed = install.includes(file) || made.includes(file.slice(secrets.length));
      expect([file, file.startsWith(secrets), isNamed]).toEqual([file, true, true]);
    }
    const others = services.filter((other) => other !== service);
    const ofOthers = [...credentials.values()].filter((file) => others.some((other) => file.endsWith(`-${other}`)));
    expect(ofOthers).toEqual([]);
  });

  test('behavior: it starts a program of the installation', () => {
    const [command = '', ...more] = valuesOf(unit, 'Service.ExecStart');
    const [node, flag, first, program = ''] = command.split(' ');
    expect([node, flag, first, more]).toEqual(['/opt/castellan/bin/node', '--import', `./${bundledPath(preload)}`, []]);
    const installed = bundledServices.flatMap((name) =>
      programs[name].map((file) => `services/${name}/${bundledPath(file)}`),
    );
    expect(installed).toContain(program);
    expect(program.includes('keeper')).toBe(service === 'keeper');
  });
});

test('default: the gateway asks the chat where the service of it listens, and believes the proxy of this machine', () => {
  const gateway = environmentOf(unitOf('gateway'), '');
  const port = environments.get('ai')?.shape.AI_HTTP_PORT?.safeParse(undefined).data;
  expect(gateway.get('AI_HTTP_URL')).toBe(`http://127.0.0.1:${port}`);
  expect(gateway.get('TRUST_PROXY')).toBe('127.0.0.1');
});

test('behavior: Prometheus asks each service at the port where it listens, and the keeper and others by their files', () => {
  const config = readFileSync(join(root, 'deploy/prometheus/prometheus.host.yml'), 'utf8');
  for (const service of services) {
    const port = environments.get(service)?.shape.MONITORING_PORT?.safeParse(undefined).data;
    const isListed = config.includes(`["127.0.0.1:${port}"]\n        labels: { service: ${service} }`);
    expect([service, isListed]).toEqual([service, service !== 'keeper']);
    if (service === 'keeper') expect(written.get('/etc/prometheus/targets/keeper.yml')).toContain(`127.0.0.1:${port}`);
  }
});

test('security: no service is more open than the rest, and each is what systemd-analyze takes', () => {
  const hardening = ['ProtectSystem', 'NoNewPrivileges', 'CapabilityBoundingSet', 'SystemCallFilter', 'ProtectHome'];
  for (const file of globSync('*.service', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const setting of hardening)
      expect([file, setting, text.includes(`\n${setting}=`)]).toEqual([file, setting, true]);
  }
  if (!existsSync('/usr/bin/systemd-analyze')) return;
  const names = [
    'castellan@vaults.service',
    'castellan@keeper.service',
    'castellan-nats.service',
    'castellan-backup.timer',
  ];
  const result = spawnSync('systemd-analyze', ['verify', '--recursive-errors=no', ...names], {
    env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
    encoding: 'utf8',
  });
  // The programs are where the installation is, which is not here.
  const said = result.stderr
    .split('\n')
    .filter((line) => line.includes('castellan') && !/is not executable/.test(line));
  expect(said).toEqual([]);
});
