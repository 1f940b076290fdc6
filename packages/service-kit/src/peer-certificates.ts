import { once } from 'node:events';
import { connect as connectByTcp, isIP, type Socket } from 'node:net';
import { connect as connectByTls } from 'node:tls';
import type { Connection } from 'mongoose';
import type { Logger } from './logger.ts';
import { Gauge, type Registry } from './metrics.ts';
import { serversOf } from './mongo-commands.ts';
import { natsOptions } from './nats-options.ts';

/** A server that this process reaches by TLS. */
export type Peer = { readonly peer: 'bus' | 'store'; readonly host: string; readonly port: number };

const everyMs = 3_600_000;
const patienceMs = 5_000;
const busPort = 4222;

/** The gauge of {@link watchCertificates}. */
export const peerCertificateMetric = (registry: Registry) =>
  new Gauge({
    name: 'peer_certificate_expires_timestamp_seconds',
    help: 'When the certificate of a server of bus or store that is reached by TLS ends, Unix seconds; read once an hour',
    labelNames: ['peer', 'server'],
    registers: [registry],
  });

/** The servers that a URL of the bus names, where it has TLS. */
export function busPeersOf(url: string): Peer[] {
  const { servers, tls } = natsOptions(url);
  if (!tls) return [];
  return servers.map((server) => {
    const { hostname, port } = new URL(server.replace(/^(nats|tls):/, 'http:'));
    return { peer: 'bus', host: bare(hostname), port: Number(port) || busPort };
  });
}

/** The servers of the store that are known now, where the connection has TLS. */
export function storePeersOf(connection: Connection): Peer[] {
  const client = connection.getClient();
  if (!client.options.tls) return [];
  return [...serversOf(client).keys()].map((address) => {
    const at = address.lastIndexOf(':');
    return { peer: 'store', host: bare(address.slice(0, at)), port: Number(address.slice(at + 1)) };
  });
}

/** Without the brackets of an IPv6 address. */
const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** A server of the bus speaks first, one line in the clear, which may come in parts. */
async function greeting(socket: Socket, signal: AbortSignal): Promise<void> {
  let line = '';
  while (!line.endsWith('\r\n')) line += String((await once(socket, 'data', { signal }))[0]);
}

/**
 * Greets a server and looks at its certificate; nothing is sent and nothing believed, so that one which nobody would trust any more is read
 * too. A connection of its own: those in use show the certificate that they began with, also after a new one was loaded.
 * @returns Unix seconds. @throws Error of a server that does not answer, or shows none.
 */
async function expiryOf({ peer, host, port }: Peer): Promise<number> {
  const signal = AbortSignal.timeout(patienceMs);
  const socket = connectByTcp({ host, port });
  // What comes late has been reported by the one who waits.
  socket.on('error', () => undefined);
  try {
    if (peer === 'bus') await greeting(socket, signal);
    else await once(socket, 'connect', { signal });
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const secure = connectByTls({ socket, rejectUnauthorized: false, ...servername });
    secure.on('error', () => undefined);
    await once(secure, 'secureConnect', { signal });
    const expires = Date.parse(secure.getPeerCertificate().valid_to) / 1000;
    if (Number.isNaN(expires)) throw new Error('The server shows no certificate.');
    return expires;
  } finally {
    socket.destroy();
  }
}

/**
 * Reads the certificates of bus and store now and once an hour. A server that does not answer keeps what was read of it; one that is not
 * known any more is not shown.
 * @returns what ends it, and the end of the first round.
 */
export function watchCertificates({
  registry,
  peers,
  log,
}: {
  registry: Registry;
  peers: () => readonly Peer[];
  log: Logger;
}): { first: Promise<void>; stop(): void } {
  const gauge = peerCertificateMetric(registry);
  let read = new Map<string, { labels: { peer: string; server: string }; expires: number }>();
  const round = async () => {
    const next: typeof read = new Map();
    for (const peer of peers()) {
      const labels = { peer: peer.peer, server: `${peer.host}:${peer.port}` };
      const key = `${labels.peer} ${labels.server}`;
      const expires = await expiryOf(peer).catch((error: Error) => {
        log.warn('the certificate of a server could not be read', { ...labels, error });
        return read.get(key)?.expires;
      });
      if (expires !== undefined) next.set(key, { labels, expires });
    }
    read = next;
    gauge.reset();
    for (const { labels, expires } of read.values()) gauge.set(labels, expires);
  };
  const guarded = () => round().catch((error) => log.warn('certificates could not be read', { error }));
  const timer = setInterval(() => void guarded(), everyMs).unref();
  return { first: guarded(), stop: () => clearInterval(timer) };
}
