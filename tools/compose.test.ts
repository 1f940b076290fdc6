import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BusServiceName } from '@castellan/contracts';
import { isSecret } from '@castellan/service-kit';
import { describe, expect, test } from '@jest/globals';
import { parse as parseToml } from 'smol-toml';
import { alsoRequired, type Environments, readEnvironments } from '../deploy/kubernetes/src/environments.ts';
import { fromEnvironment } from '../services/validator-node/src/config/overlay.ts';
import { NodeFile } from '../services/validator-node/src/config/schema.ts';
import { bundledPath, programs } from './bundle/programs.ts';
import { filledIn as filledInFiles } from './castellan/secrets.ts';
import { environmentOf, interpolate, readCompose, secretsOf } from './images/compose.ts';
import { commandOf, instructionOf, readStages, variablesOf } from './images/dockerfile.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compose = readCompose(root);
const stages = readStages(root);
const ours = Object.entries(compose.services).filter(([, { build }]) => build);
const services = ours.filter(([name]) => !name.startsWith('validator-'));
const validators = ours.filter(([name]) => name.startsWith('validator-'));
const targetOf = (name: string) => String(compose.services[name]?.build?.target);

/** What an operator fills in. */
const filledIn = { PUBLIC_URL: 'https://castellan.example.org' };
/** Read by Node, or facts of the image: no settings of the service. */
const ofImage = ['NODE_OPTIONS', 'CASTELLAN_VERSION', 'CASTELLAN_COMMIT'];

const environments: Environments = await readEnvironments(services.map(([name]) => name as BusServiceName));

describe.each(services)('%s in docker-compose.yml', (name, service) => {
  const shape = environments.get(name as BusServiceName)?.shape ?? {};
  const given = new Map([...variablesOf(stages, targetOf(name)), ...environmentOf(service, filledIn)]);
  /** The variable of the schema that one of compose sets; a value by file has another name. */
  const setBy = (variable: string) => (variable in shape ? variable : variable.replace(/_FILE$/, ''));

  test('default: every variable exists in the schema of the service, with a value that it takes', () => {
    const named = [...Object.keys(service.environment ?? {}), ...variablesOf(stages, targetOf(name)).keys()];
    const unknown = named.filter((variable) => !ofImage.includes(variable) && !(setBy(variable) in shape));
    expect(unknown).toEqual([]);
    for (const [variable, value] of given) {
      const field = shape[variable];
      if (field) expect([variable, field.safeParse(value).error?.issues]).toEqual([variable, undefined]);
    }
  });

  test('behavior: every required variable is set', () => {
    const required = Object.keys(shape).filter(
      (variable) => alsoRequired.includes(variable) || !shape[variable]?.safeParse(undefined).success,
    );
    const set = [...given.keys()].map(setBy);
    expect(required.filter((variable) => !set.includes(variable))).toEqual([]);
  });

  test('behavior: each file that a variable names is a secret of this container or in one of its volumes', () => {
    const secrets = [...secretsOf(compose, service).keys()].map((target) => `/run/secrets/${target}`);
    const volumes = (service.volumes ?? []).map((volume) => `${volume.split(':')[1]}/`);
    for (const [variable, file] of given) {
      if (!variable.endsWith('_FILE')) continue;
      const isThere = secrets.includes(file) || volumes.some((folder) => file.startsWith(folder));
      expect([variable, file, isThere]).toEqual([variable, file, true]);
    }
  });

  test('security: no secret is a variable, which docker inspect would show', () => {
    const shown = Object.keys(service.environment ?? {}).filter(
      (variable) => shape[variable] && isSecret(shape[variable]),
    );
    expect(shown).toEqual([]);
  });

  test('behavior: it starts a program of its image', () => {
    const [node, flag, , program = ''] = service.command ?? commandOf(stages, targetOf(name));
    expect([node, flag]).toEqual(['node', '--import']);
    const inImage = Object.entries(programs).flatMap(([folder, files]) =>
      folder === targetOf(name) ? files.map((file) => `services/${folder}/${bundledPath(file)}`) : [],
    );
    expect(inImage).toContain(program);
    expect(program.includes('keeper')).toBe(name === 'keeper');
  });
});

test('behavior: the gateway publishes and reaches what the images listen on', () => {
  const { gateway, ai } = compose.services;
  const port = (service: typeof gateway, variable: string) => environmentOf(service ?? {}, filledIn).get(variable);
  expect(gateway?.ports).toEqual([`127.0.0.1:8080:${port(gateway, 'HTTP_PORT')}`]);
  expect(port(gateway, 'AI_HTTP_URL')).toBe(`http://ai:${port(ai, 'AI_HTTP_PORT')}`);
  expect(instructionOf(stages, 'gateway', 'EXPOSE')?.split(' ')).toContain(port(gateway, 'HTTP_PORT'));
  expect(instructionOf(stages, 'ai', 'EXPOSE')?.split(' ')).toContain(port(ai, 'AI_HTTP_PORT'));
});

test('behavior: what an installation decides about the gateway can be said in .env', () => {
  const given = Object.keys(compose.services.gateway?.environment ?? {});
  const ofWeb = ['WEB_RPC_URLS', 'WALLETCONNECT_PROJECT_ID', 'SAFE_APP_ORIGINS'];
  const decided = ['PUBLIC_URL', 'TRUST_PROXY', 'TRUSTED_ISSUERS', 'CORS_ORIGINS', ...ofWeb];
  expect(given).toEqual(expect.arrayContaining(decided));
  const ofMail = ['SMTP_URL_FILE', 'SMTP_FROM', 'NOTIFICATIONS_EMAIL_DOMAINS'];
  expect(Object.keys(compose.services.users?.environment ?? {})).toEqual(
    expect.arrayContaining(['NOTIFICATIONS_KEY_FILE', ...ofMail]),
  );
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  const files = ['docker-compose.yml', 'deploy/otel-collector/traces.compose.yml'];
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const named = [...texts.matchAll(/\$\{(\w+):/g)].map(([, name]) => name);
  expect([...new Set([...named, 'COMPOSE_PROFILES'])].sort()).toEqual(
    [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name).sort(),
  );
});

test('behavior: the page of the installation names what compose starts nothing without', () => {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => `${name}`));
  const page = readFileSync(join(root, 'docs/operations/install.md'), 'utf8');
  const [, steps = ''] = /^## Compose\n((?:.|\n)*?)^### /m.exec(page) ?? [];
  expect(required.size).toBeGreaterThan(1);
  for (const name of [...required, ...filledInFiles]) expect(steps).toContain(name);
});

describe.each(validators)('%s in docker-compose.yml', (_name, service) => {
  test('default: its variables are keys of the configuration, its files where they say', () => {
    const { faults } = fromEnvironment(NodeFile, Object.fromEntries(environmentOf(service, {})));
    // The files of its keys are on no machine but the operator's.
    expect(faults.filter(({ got }) => !got.includes('ENOENT'))).toEqual([]);
    const folders = (service.volumes ?? []).map((volume) => `${volume.split(':')[1]}`);
    expect(folders).toEqual(['/config', '/keys']);
    expect(commandOf(stages, 'validator-node').slice(-3)).toEqual(['run', '--config', '/config/config.toml']);
    const { monitoring } = parseToml(readFileSync(join(root, 'deploy/validators/config.toml'), 'utf8')) as {
      monitoring: { health_port: number; metrics_port: number };
    };
    expect(variablesOf(stages, 'validator-node').get('MONITORING_PORT')).toBe(String(monitoring.health_port));
    const ports = [monitoring.metrics_port, monitoring.health_port].map(String);
    expect(instructionOf(stages, 'validator-node', 'EXPOSE')?.split(' ')).toEqual(ports);
  });
});

describe('profiles', () => {
  const profileOf = (name: string) => compose.services[name]?.profiles;

  test('default: keeper, validators and the TLS proxy run only where they are asked for', () => {
    const optional = Object.keys(compose.services).filter((name) => profileOf(name));
    expect(optional.sort()).toEqual(
      ['keeper', 'keeper-targets', 'proxy', 'validators-targets', ...validators.map(([name]) => name)].sort(),
    );
    for (const [name] of validators) expect(profileOf(name)).toEqual(['validators']);
    expect([profileOf('keeper'), profileOf('proxy')]).toEqual([['keeper'], ['proxy']]);
  });

  test('behavior: Prometheus learns of them by the profile that runs them, so that what does not run pages nobody', () => {
    const config = readFileSync(join(root, 'deploy/prometheus/prometheus.yml'), 'utf8');
    for (const profile of ['keeper', 'validators']) {
      const targets = compose.services[`${profile}-targets`];
      expect(targets).toMatchObject({
        profiles: [profile],
        command: [`/given/${profile}.yml`, `/targets/${profile}.yml`],
        volumes: ['./deploy/prometheus/targets:/given:ro', 'prometheus-targets:/targets'],
      });
      expect(config).toContain(`files: [/targets/${profile}.yml]`);
      expect(config).not.toMatch(new RegExp(`files: \\[targets/${profile}`));
    }
    expect(config).not.toMatch(/keeper:9107|validator-\d/);
    expect(compose.services.prometheus?.volumes).toContain('prometheus-targets:/targets:ro');
  });
});

test('error: a variable that must be given is named when it is not', () => {
  const text = `\${PUBLIC_URL:?PUBLIC_URL must be the https address people use}`;
  expect(() => interpolate(text, {})).toThrow('PUBLIC_URL is not set');
  expect(interpolate(text, filledIn)).toBe(filledIn.PUBLIC_URL);
  expect(interpolate(`\${TRUST_PROXY:-172.30.238.1}`, {})).toBe('172.30.238.1');
});
