import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createServer } from 'vite';

const root = join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'web');

/** What `npm run dev` serves goes through the same plugins as the build, in another order of hooks. */
test('default: the loop serves the first script and the styles from their sources', async () => {
  const server = await createServer({
    root,
    configFile: join(root, 'vite.config.ts'),
    server: { middlewareMode: true, hmr: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    logLevel: 'silent',
  });
  try {
    const styles = await server.transformRequest('/src/design/styles.css');
    expect(styles?.code.includes('--accent:')).toBe(true);
    const script = await server.transformRequest('/src/main.tsx');
    expect(script?.code.includes('createRoot')).toBe(true);
  } finally {
    await server.close();
  }
});
