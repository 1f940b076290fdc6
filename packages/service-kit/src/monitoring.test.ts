import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const monitoring = fileURLToPath(new URL('./monitoring.ts', import.meta.url));
const metrics = fileURLToPath(new URL('./metrics.ts', import.meta.url));

/** A process that serves its health, has a check of readiness that fails, and stands still once it is sent a line. */
const program = `
import { startMonitoring } from ${JSON.stringify(monitoring)};
import { createRegistry } from ${JSON.stringify(metrics)};
const { health, port } = await startMonitoring({ host: '127.0.0.1', port: 0, registry: createRegistry('test') });
health.addReadiness('database', () => false);
process.stdin.once('data', () => {
  process.stdout.write('held\\n', () => { for (;;); });
});
process.stdout.write(port + '\\n');
`;

test('behavior: liveness is an answer of the event loop: whole while the store is away, none while the loop stands still', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const address = (path: string) => `http://127.0.0.1:${Number(`${line}`)}/${path}`;
    const alive = await fetch(address('healthz'));
    expect([alive.status, await alive.json()]).toEqual([200, { status: 'ok', checks: { event_loop: 'ok' } }]);
    expect((await fetch(address('readyz'))).status).toBe(503);
    child.stdin.write('stand still\n');
    await once(child.stdout, 'data');
    const asked = fetch(address('healthz'), { signal: AbortSignal.timeout(500) });
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
  } finally {
    child.kill('SIGKILL');
  }
});
