import { get } from 'node:http';
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

/** True when the URL answers with 2xx. Not by `fetch`: every process is asked many times a second until it is ready. */
export const answersOk = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode !== undefined && response.statusCode >= 200 && response.statusCode < 300);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
    // After an answer it is settled already.
    request.once('close', () => resolve(false));
  });
