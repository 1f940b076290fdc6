import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Check, createLogger, createRegistry, type ServiceContext } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { testConfig } from '../test/harness.ts';
import { gatewayDefinition } from './compose.ts';

/** The conditions of readiness of a gateway that was composed and not started. */
async function readinessOf(web: { dist: string; isRequired: boolean }): Promise<Map<string, Check>> {
  const checks = new Map<string, Check>();
  const context = {
    log: createLogger({ service: 'gateway', level: 'silent' }),
    registry: createRegistry('gateway'),
    health: { addReadiness: (name: string, check: Check) => checks.set(name, check) },
    mongo: { models: { idempotency_keys: {} }, collection: () => ({}) },
  } as unknown as ServiceContext;
  const config = testConfig();
  const { stop } = await gatewayDefinition({ ...config, web: { ...config.web, ...web } }).build(context);
  await stop?.();
  return checks;
}

test('default: a gateway that must serve the pages is ready once they are there', async () => {
  const dist = mkdtempSync(join(tmpdir(), 'castellan-dist-'));
  const hasPages = (await readinessOf({ dist, isRequired: true })).get('web');
  expect(await hasPages?.()).toBe(false);
  writeFileSync(join(dist, 'index.html'), '<!doctype html>');
  expect(await hasPages?.()).toBe(true);
  rmSync(dist, { recursive: true });
});

test('behavior: one that serves the API alone needs none', async () => {
  expect([...(await readinessOf({ dist: '/nowhere', isRequired: false })).keys()]).toEqual(['http']);
});
