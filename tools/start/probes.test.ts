import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { answersOk } from './probes.ts';

const opened: { close: (done: () => void) => unknown }[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => new Promise<void>((resolve) => server.close(resolve)))));

async function urlOf(server: Server, path = '/readyz'): Promise<string> {
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
}

test.each([
  [200, true],
  [204, true],
  [404, false],
  [503, false],
])('default: a status of %i counts as ready: %p', async (status, isReady) => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status).end();
  });
  expect(await answersOk(await urlOf(server))).toBe(isReady);
  expect(asked).toEqual(['/readyz']);
});

test('behavior: a status that comes in pieces is read whole', async () => {
  const server = createTcpServer((socket) => {
    socket.resume().write('HTTP/1.1 2', () => socket.end('00 OK\r\n\r\n'));
  });
  expect(await answersOk(await urlOf(server))).toBe(true);
});

test('error: nobody there, and what says nothing before it closes', async () => {
  const silent = createTcpServer((socket) => void socket.resume().end());
  expect(await answersOk(await urlOf(silent))).toBe(false);
  expect(await answersOk('http://127.0.0.1:1/readyz')).toBe(false);
});
