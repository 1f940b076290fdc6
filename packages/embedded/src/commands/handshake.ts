import { hostname, totalmem } from 'node:os';
import { MAX_DOCUMENT_BYTES } from '../engine/collection.ts';
import { refuse } from '../engine/errors.ts';
import type { Doc } from '../engine/values/types.ts';
import { MAX_MESSAGE_BYTES } from '../wire/message.ts';
import type { Command, CommandContext } from './context.ts';
import { SESSION_MINUTES } from './sessions.ts';

// The wire version of MongoDB 7.0, whose behaviour this store follows.
const WIRE_VERSION = 21;
const VERSION = '7.0.0';

/** Says that this is a standalone server, so drivers send no retryable writes. */
const helloReply = ({ engine, connectionId }: CommandContext): Doc => ({
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: MAX_DOCUMENT_BYTES,
  maxMessageSizeBytes: MAX_MESSAGE_BYTES,
  maxWriteBatchSize: 100_000,
  localTime: new Date(engine.clock()),
  logicalSessionTimeoutMinutes: SESSION_MINUTES,
  connectionId,
  minWireVersion: 0,
  maxWireVersion: WIRE_VERSION,
  readOnly: false,
});

// MongoDB reads hello leniently, so that newer drivers can announce what older servers do not know.
const hello: Command = { fields: undefined, run: helloReply };
const none = new Set<string>();
const fine: Command = { fields: none, run: () => ({}) };

const serverStatus: Command = {
  fields: new Set(['repl', 'metrics', 'locks', 'mirroredReads', 'latchAnalysis']),
  run: ({ engine, cursors, startedAt, connections }) => ({
    host: hostname(),
    version: VERSION,
    process: 'castellan-store',
    pid: process.pid,
    uptime: process.uptime(),
    localTime: new Date(startedAt),
    connections: { current: connections() },
    metrics: { cursor: { open: { total: cursors.size } } },
    storageEngine: { name: 'sqlite', persistent: true },
    mem: { resident: Math.round(process.memoryUsage.rss() / 2 ** 20) },
    databases: engine.catalog.names().length,
  }),
};

const refuseLogin: Command = {
  fields: new Set(['mechanism', 'payload', 'options', 'autoAuthorize', 'conversationId', 'skipEmptyExchange']),
  run: () =>
    refuse(18, 'Authentication failed: this store has no users; remove the credentials from the connection string'),
};

const commitTransaction: Command = {
  fields: new Set(['recoveryToken']),
  writes: true,
  run({ sessions, engine, body }) {
    sessions.commit(body, '', () => engine.storage.settled(false));
    return {};
  },
};

const abortTransaction: Command = {
  fields: new Set(['recoveryToken']),
  run({ sessions, body }) {
    sessions.abort(body, '');
    return {};
  },
};

const endSessions: Command = {
  fields: none,
  run({ sessions, body }) {
    sessions.end(body.endSessions ?? body.killSessions, '');
    return {};
  },
};

/** Commands about the connection, sessions and the server itself. */
export const handshakeCommands: Record<string, Command> = {
  hello,
  ismaster: hello,
  isMaster: hello,
  ping: fine,
  endSessions,
  refreshSessions: fine,
  killSessions: endSessions,
  startSession: { fields: none, run: () => ({ timeoutMinutes: SESSION_MINUTES }) },
  buildInfo: { fields: none, run: buildInfo },
  buildinfo: { fields: none, run: buildInfo },
  hostInfo: {
    fields: none,
    run: ({ startedAt }) => ({
      system: { currentTime: new Date(startedAt), hostname: hostname(), memSizeMB: Math.round(totalmem() / 2 ** 20) },
    }),
  },
  connectionStatus: {
    fields: new Set(['showPrivileges']),
    run: () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
  },
  serverStatus,
  saslStart: refuseLogin,
  saslContinue: refuseLogin,
  commitTransaction,
  abortTransaction,
};

function buildInfo(): Doc {
  const versionArray = [...VERSION.split('.').map(Number), 0];
  return {
    version: VERSION,
    versionArray,
    gitVersion: 'castellan embedded store',
    modules: [],
    storageEngines: ['sqlite'],
    bits: 64,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
  };
}
