import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { normalizeIP } from '@fastify/rate-limit';
import type { ConnectionConfig } from '../config.ts';

export type Refused = 'address' | 'total' | 'idle';

type Held = { open: number; idle: Set<Socket> };

/**
 * Bounds what strangers can hold open: connections of one address and of all, and of one address those without a request under
 * way. What is too much is closed before a byte of it is read; of the idle ones the longest silent goes.
 * @param isShared - Connections come from a proxy, whose address is everybody's: only the total counts.
 */
export function limitConnections(
  server: Server,
  { perAddress, total, idlePerAddress }: ConnectionConfig,
  { isShared, onRefused }: { isShared: boolean; onRefused: (reason: Refused) => void },
): void {
  const byAddress = new Map<string, Held>();
  const holder = new WeakMap<Socket, Held>();
  let all = 0;
  const refuse = (socket: Socket, reason: Refused) => {
    onRefused(reason);
    socket.destroy();
  };
  const rest = (socket: Socket) => {
    const held = holder.get(socket);
    if (held === undefined || socket.destroyed) return;
    held.idle.add(socket);
    const [longest] = held.idle;
    if (isShared || held.idle.size <= idlePerAddress || longest === undefined) return;
    held.idle.delete(longest);
    refuse(longest, 'idle');
  };
  const busy = (socket: Socket) => void holder.get(socket)?.idle.delete(socket);
  server.prependListener('connection', (socket: Socket) => {
    const address = normalizeIP(socket.remoteAddress ?? '');
    const held = byAddress.get(address) ?? { open: 0, idle: new Set() };
    const isTooMuch = all >= total ? 'total' : !isShared && held.open >= perAddress ? 'address' : undefined;
    if (isTooMuch !== undefined) return refuse(socket, isTooMuch);
    byAddress.set(address, held);
    holder.set(socket, held);
    held.open += 1;
    all += 1;
    socket.once('close', () => {
      held.idle.delete(socket);
      held.open -= 1;
      all -= 1;
      if (held.open === 0) byAddress.delete(address);
    });
    rest(socket);
  });
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => busy(socket));
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy(socket);
    response.once('close', () => rest(socket));
  });
}
