import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlertChanged, LogGrew, NodeAlive, PriceTransmitted, validatorEvents } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { dataOf, deadLetterFile } from './dead-letters.ts';
import { busHandlersOf, type EventHandlers } from './public-events.ts';

const delivery = { seq: 1, msgId: 'm', deliveryCount: 1, publishedAt: new Date(0) };
const deliver = async (handlers: EventHandlers, event: { name: string }, data: object) => {
  const found = busHandlersOf(handlers).find((handler) => handler.event === event);
  await found?.handle(data as never, delivery);
  return found !== undefined;
};

test('default: only what has a handler is asked for', () => {
  expect(busHandlersOf({})).toEqual([]);
  const all = { transmission: () => undefined, logGrew: () => undefined, mandateBreach: () => undefined };
  expect(busHandlersOf(all).map(({ event }) => event)).toEqual([PriceTransmitted, LogGrew, AlertChanged]);
  expect(busHandlersOf({ validator: () => undefined })).toHaveLength(validatorEvents.length);
});

test('behavior: an alert about a mandate is a breach, too; other alerts are none', async () => {
  const seen: string[] = [];
  const handlers: EventHandlers = {
    alert: ({ rule_id }) => void seen.push(`alert ${rule_id}`),
    mandateBreach: async ({ rule_id }) => void seen.push(`breach ${rule_id}`),
  };
  await deliver(handlers, AlertChanged, { rule_id: 'vault_paused' });
  await deliver(handlers, AlertChanged, { rule_id: 'mandate_breached' });
  expect(seen).toEqual(['alert vault_paused', 'alert mandate_breached', 'breach mandate_breached']);
});

test('behavior: what validators report comes under the name of its event', async () => {
  const seen: unknown[] = [];
  await deliver({ validator: (event) => void seen.push(event) }, NodeAlive, { node_id: 'n' });
  expect(seen).toEqual([{ name: 'node_alive', data: { node_id: 'n' } }]);
});

test('error: a handler that throws fails its delivery, also one that is not asynchronous', async () => {
  const failing: EventHandlers = {
    transmission: () => {
      throw new Error('a bug');
    },
  };
  await expect(deliver(failing, PriceTransmitted, {})).rejects.toThrow('a bug');
});

test('behavior: dead letters are lines of one file; data that is no JSON is kept as text', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-letters-'));
  const file = join(folder, 'letters');
  const keep = deadLetterFile(file);
  for (const text of ['{"n":1}', 'no json'])
    await keep({ event: 'e', reason: 'r', seq: 1, deliveries: 2, data: dataOf(new TextEncoder().encode(text)) });
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { data: unknown }).data)).toEqual([{ n: 1 }, 'no json']);
  rmSync(folder, { recursive: true });
});
