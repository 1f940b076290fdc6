import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root, rulesOf } from './alert-checks.fixture.ts';
import { readUnit, valuesOf } from './systemd/units.ts';

const services = ['gateway', 'auth', 'vaults', 'analytics', 'users', 'ai', 'keeper'];
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true, maxAliasCount: -1 }) as {
  services: Record<string, { mem_limit: string }>;
};
const mebibytes = { m: 1, g: 1024 };

/** Of `512m` or `1G`, which are 1024-fold for Docker and systemd alike. */
function mebibytesOf(limit = ''): number {
  const [, count, unit = ''] = /^(\d+)([mg])$/i.exec(limit) ?? [];
  return Number(count) * mebibytes[unit.toLowerCase() as keyof typeof mebibytes];
}

/** What MemoryHigh compares a service with. */
function watched(service: string): number {
  const rules = rulesOf('deploy/prometheus/rules/process-expectations.yml').filter(
    ({ record }) => record !== undefined,
  );
  const rule = rules.find(({ labels }) => labels?.service === service) ?? rules.find(({ labels }) => !labels);
  return Number(/^vector\((\d+) \* 2 \^ 20\)$/.exec(`${rule?.expr}`)?.[1]);
}

test.each(services)('behavior: MemoryHigh compares %s with what compose and systemd let it have', (service) => {
  const unit = readUnit(join(root, 'deploy/systemd'), `castellan@${service}.service`);
  const limits = [compose.services[service]?.mem_limit, valuesOf(unit, 'Service.MemoryMax').at(-1)];
  expect(limits.map(mebibytesOf)).toEqual([watched(service), watched(service)]);
});
