import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { Socket } from 'socket.io';
import { AnswerLog } from './answer-log.ts';
import { ConnectionWriter } from './connection-writer.ts';
import { replay } from './replay-answer.ts';

const ids = { conversationId: 'c', messageId: 'm' };
const done = {
  tokens: 0,
  status: 'complete' as const,
  citations: [],
  ungrounded_figures: [],
  usage: { input_tokens: 0, output_tokens: 0 },
};

/** A connection that is read only when the test says so. */
function aClient(stallMs = 10_000) {
  const sent: [string, Record<string, unknown>][] = [];
  const conn = Object.assign(new EventEmitter(), { close: () => undefined });
  const state = { isReading: false, isGone: false };
  const socket = Object.assign(new EventEmitter(), { conn, disconnect: () => (state.isGone = true) });
  socket.emit = (event: string, message: unknown) => {
    sent.push([event, message as Record<string, unknown>]);
    if (state.isReading) conn.emit('drain');
    return true;
  };
  const read = () => conn.emit('drain');
  return { sent, state, read, writer: new ConnectionWriter(socket as unknown as Socket, stallMs) };
}
const seqs = ({ sent }: ReturnType<typeof aClient>) =>
  sent.filter(([event]) => event === 'chat:token').map(([, { seq }]) => seq);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

afterEach(() => {
  jest.useRealTimers();
});

describe('an answer log', () => {
  test('default: played as it grows, to the end', () => {
    const client = aClient();
    client.state.isReading = true;
    const answerLog = new AnswerLog(ids);
    let isOver = false;
    replay(answerLog, client.writer, -1, () => (isOver = true));
    answerLog.add('a');
    answerLog.addTools({ name: 't', args: {}, ms: 1, ok: true, at: 1 });
    answerLog.add('b');
    answerLog.end({ ...done, tokens: 2 });
    expect(client.sent.map(([event]) => event)).toEqual(['chat:token', 'chat:tool', 'chat:token', 'chat:done']);
    expect(isOver).toBe(true);
  });

  test('behavior: no more than a bounded number waits for a client that does not read; it loses nothing', () => {
    const client = aClient();
    const answerLog = new AnswerLog(ids);
    replay(answerLog, client.writer, -1, () => undefined);
    for (const n of upTo(1_000)) answerLog.add(String(n));
    answerLog.end({ ...done, tokens: 1_000 });
    expect(client.sent.length).toBe(64);
    for (let n = 0; n < 20; n += 1) client.read();
    expect(seqs(client)).toEqual(upTo(1_000));
    expect(client.sent.at(-1)?.[0]).toBe('chat:done');
  });

  test('error: SLOW_CONSUMER for a client that reads nothing for too long', () => {
    jest.useFakeTimers();
    const client = aClient(20);
    const answerLog = new AnswerLog(ids);
    replay(answerLog, client.writer, -1, () => undefined);
    for (const n of upTo(100)) answerLog.add(String(n));
    jest.advanceTimersByTime(19);
    expect(client.state.isGone).toBe(false);
    jest.advanceTimersByTime(1);
    expect(client.sent.at(-1)).toEqual(['chat:error', expect.objectContaining({ code: 'SLOW_CONSUMER' })]);
    expect(client.state.isGone).toBe(true);
  });

  test('behavior: a client that reads slowly, but reads, stays', () => {
    jest.useFakeTimers();
    const client = aClient(60);
    const answerLog = new AnswerLog(ids);
    replay(answerLog, client.writer, -1, () => undefined);
    for (const n of upTo(400)) answerLog.add(String(n));
    for (let n = 0; n < 8; n += 1) {
      jest.advanceTimersByTime(59);
      client.read();
    }
    expect(client.state.isGone).toBe(false);
    expect(seqs(client)).toEqual(upTo(400));
  });
});
