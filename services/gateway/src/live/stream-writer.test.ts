import { expect, test } from '@jest/globals';
import { StreamWriter } from './stream-writer.ts';

const writerWith = (hasRole: (() => Promise<boolean>) | undefined) => {
  const sent: string[] = [];
  const ended: string[] = [];
  const connection = {
    isOpen: true,
    send: ({ id, kind }: { id: number; kind: string }) => void sent.push(`${id} ${kind}`),
    end: (reason: string) => {
      ended.push(reason);
      connection.isOpen = false;
    },
  };
  return { sent, ended, writer: new StreamWriter(connection, hasRole) };
};
const event = (id: number, kind: 'alert' | 'pps') => ({ id, kind, json: '{}' });
/** All that is settled already has been passed on by then. */
const soon = () => new Promise((resolve) => setImmediate(resolve));

test('behavior: the public sees no alerts', async () => {
  const { sent, writer } = writerWith(undefined);
  writer.offer(event(1, 'alert'));
  writer.offer(event(2, 'pps'));
  await soon();
  expect(sent).toEqual(['2 pps']);
});

test('behavior: the role is asked for each alert, and the order is kept', async () => {
  let hasRole = true;
  const { sent, writer } = writerWith(async () => hasRole);
  for (const one of [event(1, 'pps'), event(2, 'alert'), event(3, 'pps')]) writer.offer(one);
  await soon();
  hasRole = false;
  for (const one of [event(4, 'alert'), event(5, 'pps')]) writer.offer(one);
  await soon();
  expect(sent).toEqual(['1 pps', '2 alert', '3 pps', '5 pps']);
});

test('error: when the role cannot be looked up, the stream ends before the alert, and nothing behind it is sent', async () => {
  const { sent, writer, ended } = writerWith(() => Promise.reject(new Error('away')));
  for (const one of [event(1, 'pps'), event(2, 'alert'), event(3, 'pps')]) writer.offer(one);
  await soon();
  expect(sent).toEqual(['1 pps']);
  expect(ended).toEqual(['unavailable']);
});
