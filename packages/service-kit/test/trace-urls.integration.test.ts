import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { startTracing } from '../src/tracing/provider.ts';
import { inSpan } from '../src/tracing/span.ts';

test('behavior: a span of a request has its host and not its path, where keys are', async () => {
  const exported: { name: string; attributes: Record<string, unknown> }[] = [];
  const tracing = await startTracing({
    service: 'test',
    exporter: {
      export: (spans: typeof exported, done: (outcome: { code: number }) => void) => {
        exported.push(...spans.map(({ name, attributes }) => ({ name, attributes })));
        done({ code: 0 });
      },
      shutdown: async () => undefined,
    } as never,
  });
  const server = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await inSpan('work', {}, async () => {
      await (await fetch(`${origin}/services/very-secret-path?key=very-secret-key`)).text();
    });
    await tracing.flush();
  } finally {
    await tracing.stop();
    server.closeAllConnections();
    server.close();
  }
  expect(exported.map(({ attributes }) => attributes['url.full'])).toContain(`${origin}/…`);
  expect(JSON.stringify(exported)).not.toContain('very-secret');
});
