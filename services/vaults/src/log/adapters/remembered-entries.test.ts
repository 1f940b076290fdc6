import type { LogEntry } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { RememberedEntries } from './remembered-entries.ts';

/** A log of so many entries, each 10th a rollback. */
function logOf(length: number) {
  const log = { length, asked: [] as number[] };
  const remembered = new RememberedEntries();
  const all = () => Array.from({ length: log.length }, (_, index) => index + 1);
  const read = async (key = 'a') => {
    const { entries, rollbacks } = await remembered.read(
      key,
      async () => log.length,
      async (seq) => {
        log.asked.push(seq);
        const news = all().filter((each) => each > seq);
        return {
          entries: news.filter((each) => each % 10 !== 0).map((each) => ({ seq: each }) as LogEntry),
          rollbacks: news.filter((each) => each % 10 === 0).map((each) => ({ seq: each, fromBlock: 1 })),
        };
      },
    );
    return [...entries, ...rollbacks].map(({ seq }) => seq).sort((a, b) => a - b);
  };
  return { log, read, all };
}

test('default: only what is new is asked for, and all is returned', async () => {
  const { log, read, all } = logOf(12);
  expect(await read()).toEqual(all());
  expect(await read()).toEqual(all());
  log.length = 25;
  expect(await read()).toEqual(all());
  expect(log.asked).toEqual([0, 12]);
  await read('b');
  expect(log.asked).toEqual([0, 12, 0]);
});

test('behavior: what is appended while it is read is neither lost nor returned twice', async () => {
  const { log, read } = logOf(3);
  const remembered = new RememberedEntries();
  const entry = (seq: number) => ({ seq }) as LogEntry;
  const first = await remembered.read(
    'a',
    async () => 3,
    async () => ({ entries: [1, 2, 3, 4].map(entry), rollbacks: [] }),
  );
  const second = await remembered.read(
    'a',
    async () => 4,
    async (seq) => ({ entries: [4].filter((each) => each > seq).map(entry), rollbacks: [] }),
  );
  expect([first.entries.length, second.entries.map(({ seq }) => seq)]).toEqual([3, [1, 2, 3, 4]]);
  log.length = 3;
  expect(await Promise.all([read(), read()])).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test('behavior: a log that began anew is read anew', async () => {
  const { log, read } = logOf(30);
  await read();
  log.length = 4;
  expect(await read()).toEqual([1, 2, 3, 4]);
});
