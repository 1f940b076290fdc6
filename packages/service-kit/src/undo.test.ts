import { expect, test } from '@jest/globals';
import { createLogger } from './logger.ts';
import { Undo } from './undo.ts';

test('behavior: last thing first; a step that fails or hangs does not keep the others', async () => {
  const lines: string[] = [];
  const log = createLogger({ service: 'test', level: 'info', out: { write: (line) => lines.push(line) } });
  const undo = new Undo(log, 10);
  const done: string[] = [];
  undo.add('first', async () => done.push('first'));
  undo.add('hangs', () => new Promise(() => undefined), 30);
  undo.add('fails', () => Promise.reject(new Error('broken')));
  undo.add('last', async () => done.push('last'));
  await undo.run();
  expect(done).toEqual(['last', 'first']);
  expect(lines.map((line) => (JSON.parse(line) as { step: string }).step)).toEqual(['fails', 'hangs']);
});
