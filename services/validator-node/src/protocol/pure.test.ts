import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const here = new URL('.', import.meta.url);
const ambient =
  /\bDate\b|setTimeout|setInterval|setImmediate|queueMicrotask|nextTick|performance|hrtime|Math\.random|randomBytes|getRandomValues|randomUUID|process\.|node:/;

test('behavior: the protocol has no clock, timer or chance of its own, so that a seed replays it', () => {
  const sources = readdirSync(here).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  expect(sources.length).toBeGreaterThan(15);
  for (const name of sources) {
    const lines = readFileSync(new URL(name, here), 'utf8').split('\n');
    expect([name, lines.filter((line) => ambient.test(line))]).toEqual([name, []]);
  }
});
