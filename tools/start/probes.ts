import { connect } from 'node:net';

/** True when something accepts connections on the port. */
export const answersTcp = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.setTimeout(1000, () => finish(false));
  });

const successful = /^HTTP\/1\.[01] 2\d\d /;
const statusLength = 'HTTP/1.1 200 '.length;

/**
 * True when the URL answers with 2xx. By a bare connection: every process is asked many times until it is ready, and
 * Node's own client loads a tenth of what the process that starts the others loads at all.
 */
export const answersOk = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port, host, pathname } = new URL(url);
    let text = '';
    const socket = connect({ port: Number(port), host: hostname });
    const finish = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setEncoding('latin1');
    socket.once('connect', () => {
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length >= statusLength) finish(successful.test(text));
    });
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.setTimeout(2000, () => finish(false));
  });
