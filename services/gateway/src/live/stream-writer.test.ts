import { expect, test } from '@jest/globals';
import { StreamWriter } from './stream-writer.ts';

const writerWith = (hasRole: (() => Promise<boolean>) | undefined) => {
  const sent: string[] = [];
  const ended: string[] = [];
  const connection = {
    isOpen: true,
    drained: (): Promise<void> | undefined => undefined,
    send: ({ id, kind }: { id: number; kind: string }) => void sent.push(`${id} ${kind}`),
    end: (reason: string) => {
      ended.push(reason);
      connection.isOpen = false;
    },
  };
  return { sent, ended, connection, writer: new StreamWriter(connection, hasRole) };
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

test('behavior: what was missed goes out as fast as it is read, and what is new comes after it', async () => {
  const { sent, connection, writer } = writerWith(undefined);
  let read = (): void => undefined;
  connection.drained = () => new Promise<void>((resolve) => (read = resolve));
  writer.replay([event(1, 'pps'), event(2, 'alert'), event(3, 'pps')]);
  writer.offer(event(4, 'pps'));
  await soon();
  expect(sent).toEqual(['1 pps']);
  for (const soFar of [
    ['1 pps', '3 pps'],
    ['1 pps', '3 pps', '4 pps'],
  ]) {
    read();
    await soon();
    expect(sent).toEqual(soFar);
  }
});

test('error: a reader that does not read what it missed is disconnected once too much waits behind it', async () => {
  const { sent, ended, connection, writer } = writerWith(undefined);
  connection.drained = () => new Promise<void>(() => undefined);
  writer.replay(Array.from({ length: 1_500 }, (_, id) => event(id, 'pps')));
  for (let id = 1_500; id < 2_400; id += 1) writer.offer(event(id, 'pps'));
  expect(ended).toEqual([]);
  for (let id = 2_400; id < 2_600; id += 1) writer.offer(event(id, 'pps'));
  expect([sent, ended[0]]).toEqual([['0 pps'], 'slow']);
});
