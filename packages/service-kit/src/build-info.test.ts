import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { buildOf, registerBuildInfo } from './build-info.ts';
import { createRegistry } from './metrics.ts';

test('default: the image names the release and the commit', async () => {
  const build = buildOf({ CASTELLAN_VERSION: '1.2.3', CASTELLAN_COMMIT: 'abc' });
  const registry = new Registry();
  registerBuildInfo(registry, build);
  expect(await registry.metrics()).toContain(
    `castellan_build_info{version="1.2.3",commit="abc",node="${process.version}"} 1`,
  );
});

test('behavior: every service says what was built, outside of an image too', async () => {
  expect(buildOf({ CASTELLAN_VERSION: '' })).toMatchObject({ version: '0.0.0-local', commit: 'unknown' });
  expect(await createRegistry('users').metrics()).toMatch(/castellan_build_info\{.*service="users".*\} 1/);
});
