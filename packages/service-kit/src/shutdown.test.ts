import { expect, test } from '@jest/globals';
import { createLogger } from './logger.ts';
import { Shutdown } from './shutdown.ts';

test('behavior: the last added runs first; a step that fails or hangs does not stop the others', async () => {
  const lines: string[] = [];
  const log = createLogger({ service: 'test', level: 'info', out: { write: (line) => lines.push(line) } });
  const shutdown = new Shutdown(log, 10_000);
  const done: string[] = [];
  shutdown.add('first', async () => done.push('first'));
  shutdown.add('hangs', () => new Promise(() => undefined), 30);
  shutdown.add('fails', () => Promise.reject(new Error('broken')));
  shutdown.add('last', async () => done.push('last'));
  await shutdown.run();
  expect(done).toEqual(['last', 'first']);
  expect(lines.map((line) => (JSON.parse(line) as { step: string }).step)).toEqual(['fails', 'hangs']);
});

test('behavior: what is opened after the shutdown began is closed at once', async () => {
  const log = createLogger({ service: 'test', level: 'info', out: { write: () => true } });
  const shutdown = new Shutdown(log, 10_000);
  const done: string[] = [];
  shutdown.add('first', () => done.push('first'));
  await shutdown.run();
  shutdown.add('late', () => done.push('late'));
  await shutdown.run();
  expect(done).toEqual(['first', 'late']);
});
