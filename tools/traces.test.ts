import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readCompose } from './images/compose.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

type Service = {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  profiles?: string[];
  mem_limit?: string;
  logging?: unknown;
};
type Collector = {
  exporters: Record<string, { endpoint?: string } | null>;
  service: { pipelines: { traces: { exporters: string[] } } };
};
const more = 'deploy/otel-collector/traces.compose.yml';
const { services } = parse(read(more)) as { services: Record<string, Service> };
const kept = parse(read('deploy/otel-collector/export.yml')) as Collector;

test('default: with one more file the collector hands traces on, to a Jaeger of its own or where TRACES_ENDPOINT says', () => {
  const collector = services['otel-collector'];
  const before = readCompose(root).services['otel-collector'] as Service;
  const mounted = [...(before.volumes ?? []), ...(collector?.volumes ?? [])].map((mount) => mount.split(':'));
  for (const [source = ''] of mounted) expect([source, existsSync(join(root, source))]).toEqual([source, true]);
  const configs = collector?.command?.filter((word) => word !== '--config');
  expect(configs).toEqual(mounted.map(([, target]) => target));
  const { exporters } = kept.service.pipelines.traces;
  expect(exporters).toEqual(Object.keys(kept.exporters));
  const named = [...read('deploy/otel-collector/export.yml').matchAll(/\$\{env:(\w+)\}/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(collector?.environment ?? {}).sort());
  expect(collector?.environment?.TRACES_ENDPOINT).toBe(`\${TRACES_ENDPOINT:-jaeger:4317}`);
});

test('behavior: that Jaeger is a profile, pinned, bounded, and reached from this host alone', () => {
  expect(services.jaeger).toMatchObject({
    image: expect.stringMatching(/:[^:]*\d/),
    profiles: ['jaeger'],
    mem_limit: expect.stringMatching(/^\d+[mg]$/),
    logging: { driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } },
    ports: ['127.0.0.1:16686:16686'],
  });
});

test('behavior: how much is recorded is a setting of each service that sends traces, and .env.example has it', () => {
  const sending = Object.entries(readCompose(root).services).filter(
    ([, { environment }]) => environment?.OTEL_EXPORTER_OTLP_ENDPOINT,
  );
  expect(sending.length).toBeGreaterThan(6);
  for (const [name, { environment }] of sending)
    expect([name, environment?.OTEL_TRACES_SAMPLER_ARG]).toEqual([name, `\${OTEL_TRACES_SAMPLER_ARG:-0.1}`]);
  expect(read('.env.example')).toMatch(/^OTEL_TRACES_SAMPLER_ARG=$/m);
});
