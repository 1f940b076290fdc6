import type { OutgoingHttpHeaders } from 'node:http';
import type { VaultDetail, VaultUpdate } from '@castellan/contracts';
import type { Revocations, RolesChange, VerifiedToken } from '@castellan/tokens';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Snapshot } from '../cache/snapshots.ts';
import type { StreamConfig } from '../config.ts';
import { type VaultParams, vaultKeyOf } from '../http/shared-reads.ts';
import { type CloseReason, Connection } from './connection.ts';
import { Places } from './places.ts';
import type { Feed, FeedEvent } from './recent-updates.ts';
import { StreamWriter } from './stream-writer.ts';

export type StreamPorts = {
  feed: Feed;
  revocations: Pick<Revocations, 'onRevoked' | 'has'>;
  /** The vault as the caller may see it; throws what the detail route would answer. */
  loadVault: (params: VaultParams, caller: VerifiedToken['caller']) => Promise<VaultDetail>;
  /** The vault as the public sees it: what the detail route has ready, made after the last update of the feed. */
  readPublicVault: (params: VaultParams) => Promise<Pick<Snapshot, 'bytes'>>;
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
/** A gateway that was cut off, or stood still, has what it missed well within this once it is back. */
const catchUpMs = 3_000;

/** What a `Last-Event-ID` header names: undefined without one, NaN for what no gateway ever sent. */
function lastEventIdOf(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id'];
  if (header === undefined || header === '') return undefined;
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN;
}

type First = Pick<FeedEvent, 'id' | 'kind' | 'json'>;

const firstOf = (id: number, detail: VaultDetail): First => {
  const { chain_id, vault_address, block_number } = detail;
  const update: VaultUpdate = { chain_id, vault_address, kind: 'vault', block_number, detail };
  return { id, kind: 'vault', json: JSON.stringify(update) };
};

/** What the public begins with, made once for all who read the same snapshot: thousands come back when a gateway ends. */
const publicFirsts = new WeakMap<Pick<Snapshot, 'bytes'>, First>();

function publicFirstOf(id: number, snapshot: Pick<Snapshot, 'bytes'>): First {
  const known = publicFirsts.get(snapshot);
  if (known?.id === id) return known;
  const first = known ? { ...known, id } : firstOf(id, JSON.parse(String(snapshot.bytes)) as VaultDetail);
  publicFirsts.set(snapshot, first);
  return first;
}

export function createStreams(ports: StreamPorts): Streams {
  const { feed, revocations, config, now, onCount } = ports;
  const open = new Set<OpenStream>();
  let isClosed = false;
  const places = new Places(config);
  const heartbeat = setInterval(() => {
    for (const { connection } of open) connection.beat();
  }, config.heartbeatSeconds * 1000);
  heartbeat.unref();
  const stopListening = revocations.onRevoked((sid) => {
    for (const item of open) if (item.sid === sid) item.connection.end('revoked');
  });

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
    writer.replay(missed.filter(({ id }) => id <= upTo));
  };

  return {
    async open(request, reply, params) {
      const { verified, caller } = request;
      const vault = vaultKeyOf(params);
      const leave = places.take(request);
      const from = lastEventIdOf(request);
      // Another gateway sent it already. Until this one has it too, it would repeat what the reader has.
      if (from !== undefined && from > feed.lastId) await feed.reached(from, catchUpMs);
      const pending: FeedEvent[] = [];
      let deliver = (event: FeedEvent): void => void pending.push(event);
      const unsubscribe = feed.subscribe(vault, (event) => deliver(event));
      const cleanUp = () => {
        unsubscribe();
        leave();
      };
      // What it begins with is at least as new as this update, because it is read after it.
      const cursor = feed.lastId;
      let first: First;
      let role: Role | undefined;
      try {
        if (caller) {
          const detail = await ports.loadVault(params, caller);
          const ask = async () => (await ports.loadVault(params, caller)).my_role !== null;
          role = { vault, isHeld: detail.my_role !== null, ask };
          first = firstOf(cursor, detail);
        } else first = publicFirstOf(cursor, await ports.readPublicVault(params));
      } catch (error) {
        cleanUp();
        throw error;
      }
      const connection = connect(reply, { verified, role }, cleanUp);
      // All others were ended while this one waited.
      if (isClosed) connection.end('shutdown');
      const writer = new StreamWriter(connection, role?.ask);
      if (from !== undefined) replay(writer, connection, vault, from, cursor);
      writer.offer(first);
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
      isClosed = true;
      clearInterval(heartbeat);
      stopListening();
      for (const { connection } of open) connection.end('shutdown');
    },
  };
}
