import type { OutgoingHttpHeaders } from 'node:http';
import { AppError, type VaultDetail, type VaultUpdate } from '@castellan/contracts';
import type { Revocations, RolesChange, VerifiedToken } from '@castellan/tokens';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StreamConfig } from '../config.ts';
import { type VaultParams, vaultKeyOf } from '../http/shared-reads.ts';
import { type CloseReason, Connection } from './connection.ts';
import type { Feed, FeedEvent } from './recent-updates.ts';
import { StreamWriter } from './stream-writer.ts';

export type StreamPorts = {
  feed: Feed;
  revocations: Pick<Revocations, 'onRevoked' | 'has'>;
  /** The vault as the caller may see it; throws what the detail route would answer. */
  loadVault: (params: VaultParams, caller: VerifiedToken['caller'] | undefined) => Promise<VaultDetail>;
  /** Resolves once roles are answered as they are since the change; false: there is no such vault any more. */
  untilRolesAreRead: (change: RolesChange) => Promise<boolean>;
  config: StreamConfig;
  now: () => number;
  /** Called with +1 and -1 as streams open and close. */
  onCount: (by: 1 | -1, reason: CloseReason | 'open') => void;
};

export type Streams = {
  open(request: FastifyRequest, reply: FastifyReply, params: VaultParams): Promise<void>;
  /** Ends the streams of those who had a role on the vault and have none any more, and where nobody can say. */
  rolesChanged(change: RolesChange): Promise<void>;
  /** Ends all streams; their readers come back by themselves. */
  close(): void;
};

/** An open stream; `role` of one with a caller says whether that caller has a role now. */
type OpenStream = { connection: Connection; sid: string | undefined; role?: Role };
type Role = { vault: string; isHeld: boolean; ask: () => Promise<boolean> };

const longestTimerMs = 2 ** 31 - 1;

/** What a `Last-Event-ID` header names: undefined without one, NaN for what no gateway ever sent. */
function lastEventIdOf(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id'];
  if (header === undefined || header === '') return undefined;
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN;
}

export function createStreams(ports: StreamPorts): Streams {
  const { feed, revocations, config, now, onCount } = ports;
  const open = new Set<OpenStream>();
  const perOwner = new Map<string, number>();
  const heartbeat = setInterval(() => {
    for (const { connection } of open) connection.beat();
  }, config.heartbeatSeconds * 1000);
  heartbeat.unref();
  const stopListening = revocations.onRevoked((sid) => {
    for (const item of open) if (item.sid === sid) item.connection.end('revoked');
  });

  const takePlace = (owner: string): (() => void) => {
    const used = perOwner.get(owner) ?? 0;
    if (used >= config.perCaller) {
      throw new AppError('RATE_LIMITED', `At most ${config.perCaller} streams may be open at once. Close one first.`, {
        data: { retry_after_seconds: 10 },
      });
    }
    perOwner.set(owner, used + 1);
    return () => {
      const left = (perOwner.get(owner) ?? 1) - 1;
      if (left > 0) perOwner.set(owner, left);
      else perOwner.delete(owner);
    };
  };

  const connect = (
    reply: FastifyReply,
    { verified, role }: { verified: VerifiedToken | undefined; role: Role | undefined },
    cleanUp: () => void,
  ): Connection => {
    reply.hijack();
    let timer: NodeJS.Timeout | undefined;
    let item: OpenStream | undefined;
    const connection = new Connection({
      raw: reply.raw,
      headers: reply.getHeaders() as OutgoingHttpHeaders,
      bufferBytes: config.bufferBytes,
      onClose: (reason) => {
        clearTimeout(timer);
        if (item) open.delete(item);
        cleanUp();
        onCount(-1, reason);
      },
    });
    const sid = verified?.isEmbedded ? verified.caller.sid : undefined;
    item = { connection, sid, ...(role ? { role } : {}) };
    if (connection.isOpen) open.add(item);
    onCount(1, 'open');
    if (verified && connection.isOpen) {
      const leftMs = Math.max(0, verified.expiresAtMs - now());
      timer = setTimeout(() => connection.end('expired'), Math.min(leftMs, longestTimerMs));
      if (sid !== undefined && revocations.has(sid)) connection.end('revoked');
    }
    return connection;
  };

  const recheckRole = async (connection: Connection, role: Role): Promise<void> => {
    try {
      const isHeld = await role.ask();
      if (role.isHeld && !isHeld) connection.end('role_ended');
      role.isHeld = isHeld;
    } catch {
      connection.end('unavailable');
    }
  };

  const replay = (writer: StreamWriter, connection: Connection, vault: string, from: number, upTo: number) => {
    const missed = feed.since(vault, from);
    if (missed === undefined) {
      connection.send({ id: upTo, kind: 'reset', json: JSON.stringify({ reason: 'last_event_id_too_old' }) });
      return;
    }
    for (const event of missed) if (event.id <= upTo) writer.offer(event);
  };

  return {
    async open(request, reply, params) {
      const { verified, caller } = request;
      const vault = vaultKeyOf(params);
      const leave = takePlace(verified ? verified.caller.wallet_address : request.ip);
      const pending: FeedEvent[] = [];
      let deliver = (event: FeedEvent): void => void pending.push(event);
      const unsubscribe = feed.subscribe(vault, (event) => deliver(event));
      const cleanUp = () => {
        unsubscribe();
        leave();
      };
      const loadVault = () => ports.loadVault(params, caller);
      // What the detail shows is at least as new as this update, because it is read after it.
      const cursor = feed.lastId;
      let detail: VaultDetail;
      try {
        detail = await loadVault();
      } catch (error) {
        cleanUp();
        throw error;
      }
      const hasRole = async () => (await loadVault()).my_role !== null;
      const role = caller && { vault, isHeld: detail.my_role !== null, ask: hasRole };
      const connection = connect(reply, { verified, role }, cleanUp);
      const writer = new StreamWriter(connection, caller ? hasRole : undefined);
      const from = lastEventIdOf(request);
      if (from !== undefined) replay(writer, connection, vault, from, cursor);
      const { chain_id, vault_address, block_number } = detail;
      const current: VaultUpdate = { chain_id, vault_address, kind: 'vault', block_number, detail };
      writer.offer({ id: cursor, kind: 'vault', json: JSON.stringify(current) });
      deliver = (event) => writer.offer(event);
      for (const event of pending) deliver(event);
    },
    async rolesChanged(change) {
      const vault = vaultKeyOf(change);
      const isRead = await ports.untilRolesAreRead(change).then(
        () => true,
        () => false,
      );
      for (const { connection, role } of [...open]) {
        if (role?.vault !== vault) continue;
        if (isRead) await recheckRole(connection, role);
        else connection.end('unavailable');
      }
    },
    close() {
      clearInterval(heartbeat);
      stopListening();
      for (const { connection } of open) connection.end('shutdown');
    },
  };
}
