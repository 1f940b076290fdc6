import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { type CloseReason, Connection } from './connection.ts';

/** A socket whose reader takes nothing: what is written piles up. */
class LazyResponse extends EventEmitter {
  writableLength = 0;
  destroyed = false;
  ended = false;
  readonly written: string[] = [];

  writeHead(): void {
    this.written.push('head');
  }
  write(bytes: string | Buffer): void {
    this.written.push(String(bytes));
    this.writableLength += bytes.length;
  }
  end(text: string): void {
    this.written.push(text);
    this.ended = true;
    this.emit('close');
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const connect = (bufferBytes: number) => {
  const raw = new LazyResponse();
  const reasons: CloseReason[] = [];
  const connection = new Connection({
    raw: raw as unknown as ServerResponse,
    headers: {},
    bufferBytes,
    onClose: (reason) => reasons.push(reason),
  });
  return { raw, reasons, connection };
};

test('behavior: a reader that leaves too much unread is closed, once', () => {
  const { raw, reasons, connection } = connect(1000);
  for (let id = 1; id < 100 && connection.isOpen; id += 1) connection.send({ id, kind: 'pps', json: 'x'.repeat(90) });
  expect(raw.destroyed).toBe(true);
  expect(reasons).toEqual(['slow']);
  expect(raw.writableLength).toBeLessThan(1300);
  const { length } = raw.written;
  connection.send({ id: 100, kind: 'pps', json: '{}' });
  connection.beat();
  expect(raw.written).toHaveLength(length);
});

test('default: events carry id, name and data; the end names its reason', () => {
  const { raw, reasons, connection } = connect(1000);
  connection.send({ id: 7, kind: 'roles', json: '{"a":1}' });
  expect(raw.written.at(-1)).toBe('id: 7\nevent: roles\ndata: {"a":1}\n\n');
  connection.end('expired');
  connection.end('shutdown');
  expect(raw.ended).toBe(true);
  expect(reasons).toEqual(['expired']);
});

test('behavior: a reader that leaves frees its place', () => {
  const { raw, reasons } = connect(1000);
  raw.emit('close');
  expect(reasons).toEqual(['client']);
});
