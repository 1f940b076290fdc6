import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

type Service = {
  image?: string;
  build?: { context: string; dockerfile: string };
  volumes?: string[];
  ports?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
};
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);

describe('docker-compose.yml', () => {
  test('behavior: every image is pinned and every Dockerfile exists', () => {
    for (const [name, { image, build }] of services) {
      expect([name, Boolean(image) !== Boolean(build)]).toEqual([name, true]);
      if (image) expect(image).toMatch(/:[^:]*\d/);
      if (build) expect([name, existsSync(join(root, build.dockerfile))]).toEqual([name, true]);
    }
  });

  test('behavior: what is mounted exists', () => {
    for (const mount of services.flatMap(([, { volumes = [] }]) => volumes)) {
      const source = String(mount.split(':')[0]);
      if (source.startsWith('.')) expect([source, existsSync(join(root, source))]).toEqual([source, true]);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });

  test('behavior: services wait for what exists', () => {
    const names = services.map(([name]) => name);
    for (const [, { depends_on = {} }] of services)
      for (const other of Object.keys(depends_on)) expect(names).toContain(other);
  });

  test('behavior: nothing but the loopback is published, and no monitoring port at all', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(ports.join(' ')).not.toMatch(/:91\d\d/);
  });

  test('behavior: no secret has a default', () => {
    for (const [, { environment = {} }] of services) {
      for (const [name, value] of Object.entries(environment)) {
        if (/SECRET|PASSWORD|PRIVATE/.test(name))
          expect([name, value]).toEqual([name, expect.stringMatching(/^\$\{\w+:\?/)]);
      }
    }
  });

  test('behavior: Prometheus scrapes each service on its monitoring port', () => {
    const { scrape_configs } = parse(read('deploy/prometheus/prometheus.yml')) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    const targets = scrape_configs
      .flatMap(({ static_configs }) => static_configs.flatMap(({ targets: list }) => list))
      .sort();
    const expected = services
      .filter(([, { environment }]) => environment?.MONITORING_PORT)
      .map(([name, { environment }]) => `${name}:${environment?.MONITORING_PORT}`)
      .sort();
    expect(targets).toEqual(expected);
  });
});

test('behavior: every YAML of deploy parses', () => {
  for (const file of globSync('deploy/**/*.{yml,yaml}', { cwd: root })) expect(() => parse(read(file))).not.toThrow();
});

const promtool = (...args: string[]) =>
  spawnSync('promtool', args, { cwd: join(root, 'deploy/prometheus'), encoding: 'utf8' });
const hasPromtool = promtool('--version').error === undefined;
if (!hasPromtool) process.stderr.write('promtool is not on the path: Prometheus files are parsed but not checked.\n');

test('behavior: promtool accepts the configuration and its rules', () => {
  if (!hasPromtool) {
    if (process.env.CI === 'true') throw new Error('promtool is missing; install the prometheus package.');
    return;
  }
  const result = promtool('check', 'config', 'prometheus.yml');
  expect(`${result.stdout}${result.stderr}`).not.toContain('FAILED');
  expect(result.status).toBe(0);
});

describe('Dockerfiles', () => {
  test.each(globSync('services/*/Dockerfile', { cwd: root }))(
    'behavior: %s runs as a user and says when it is ill',
    (file) => {
      const text = read(file);
      expect(text).toMatch(/^FROM node:24/m);
      expect(text).toMatch(/^USER (?!root)/m);
      expect(text).toMatch(/^HEALTHCHECK /m);
      expect(text).not.toMatch(/ADD http|curl .*\| *sh/);
    },
  );
});
