import { durableEvent, stream } from '@castellan/contracts';
import {
  connectDurable,
  consumeDurable,
  createLogger,
  type DurableBus,
  defineStreams,
  on,
  publishDurable,
} from '@castellan/service-kit';
import { type OwnNats, startOwnNats, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { runCastellan } from '../../tools/castellan/commands.ts';

/** What an operator does with what handlers could not take, on a bus of its own. */

const Things = stream('THINGS', 'things', { maxAgeSeconds: 3600, diskPercent: 10 });
const ThingHappened = durableEvent(Things, 'thing_happened', z.object({ n: z.int() }));
const namespace = 'letters';

let nats: OwnNats;
let bus: DurableBus;
beforeAll(async () => {
  nats = await startOwnNats();
  const log = createLogger({ service: 'test', level: 'silent' });
  bus = await connectDurable({ url: nats.url, namespace, service: 'test', log });
  await defineStreams(bus, [Things]);
});
afterAll(async () => {
  await bus?.nats.close();
  await nats?.stop();
});

async function deadLetters(...args: string[]) {
  const said = { out: '', err: '' };
  const code = await runCastellan(['dead-letters', ...args], {
    env: { NATS_URL: nats.url, NATS_NAMESPACE: namespace },
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

test('default: they are listed, shown and published again, in words and as a line of JSON each', async () => {
  let isBroken = true;
  const handled: number[] = [];
  const consuming = await consumeDurable(bus, {
    stream: Things,
    durable: 'broken',
    backoffMs: [],
    handlers: [
      on(ThingHappened, async ({ n }) => {
        if (isBroken) throw new Error('a bug');
        handled.push(n);
      }),
    ],
  });
  for (const n of [1, 2, 3]) await publishDurable(bus, ThingHappened, { n }, { msgId: `${n}` });
  await until('all are buried', async () => (await deadLetters('list')).out.endsWith('3 dead letters\n'));
  const [first] = (await deadLetters('list')).out.split('\n');
  expect(first).toMatch(/^1\t\S+Z\tbroken\t\S+thing_happened\t1 deliveries\ta bug$/);
  const lines = (await deadLetters('list', '--json')).out.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject(
    [1, 2, 3].map((seq) => ({ seq, durable: 'broken', reason: 'a bug', data: `{"n":${seq}}` })),
  );
  expect(await deadLetters('list', '--durable', 'well', '--json')).toEqual({ code: 0, out: '', err: '' });
  expect(JSON.parse((await deadLetters('show', '2')).out)).toMatchObject({ seq: 2 });

  isBroken = false;
  expect((await deadLetters('redrive', '1')).out).toMatch(/^published again: 1\t.*\n1 dead letters published again\n$/);
  const again = (await deadLetters('redrive', '--all', '--json')).out.trim().split('\n');
  expect(again.map((line) => JSON.parse(line).seq)).toEqual([2, 3]);
  await until('all are handled', () => handled.length === 3);
  expect((await deadLetters('list')).out).toBe('0 dead letters\n');
  await consuming.stop();
});

test.each([
  [[], 'Which command?'],
  [['bury'], 'Which command?'],
  [['show', 'one'], 'not "one"'],
  [['redrive'], 'A dead letter has a number'],
])('error: %j is not understood', async (args, message) => {
  const { code, err } = await deadLetters(...args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(err).toContain('castellan dead-letters list [--durable <group>] [--json]');
});
