import { hostname, totalmem } from 'node:os';
import { MAX_DOCUMENT_BYTES } from '../engine/collection.ts';
import { StoreError } from '../engine/errors.ts';
import { type Doc, isDoc } from '../engine/values/types.ts';
import { MAX_MESSAGE_BYTES } from '../wire/message.ts';
import type { Command, CommandContext } from './context.ts';
import { SESSION_MINUTES } from './sessions.ts';

// The wire version of MongoDB 7.0, whose behaviour this store follows.
const WIRE_VERSION = 21;
const VERSION = '7.0.0';

/** Says that this is a standalone server, so drivers send no retryable writes. */
const helloReply = (context: CommandContext): Doc => ({
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: MAX_DOCUMENT_BYTES,
  maxMessageSizeBytes: MAX_MESSAGE_BYTES,
  maxWriteBatchSize: 100_000,
  localTime: new Date(context.engine.clock()),
  logicalSessionTimeoutMinutes: SESSION_MINUTES,
  connectionId: context.connectionId,
  minWireVersion: 0,
  maxWireVersion: WIRE_VERSION,
  readOnly: false,
  ...loginInHello(context),
});

/** A driver may begin its login with its first message; what is wrong with it is said when it goes on. */
function loginInHello({ access, connectionId, body }: CommandContext): Doc {
  const { speculativeAuthenticate: first } = body;
  if (!access.isRestricted) return {};
  const mechanisms = body.saslSupportedMechs === undefined ? {} : { saslSupportedMechs: ['SCRAM-SHA-256'] };
  if (!isDoc(first) || first.mechanism !== 'SCRAM-SHA-256') return mechanisms;
  try {
    return { ...mechanisms, speculativeAuthenticate: access.start(connectionId, String(first.db), first) };
  } catch (error) {
    if (error instanceof StoreError) return mechanisms;
    throw error;
  }
}

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

const loginFields = new Set([
  'mechanism',
  'payload',
  'options',
  'autoAuthorize',
  'conversationId',
  'skipEmptyExchange',
]);

const saslStart: Command = {
  fields: loginFields,
  run: ({ access, connectionId, db, body }) => access.start(connectionId, db, body),
};

const saslContinue: Command = {
  fields: loginFields,
  run: ({ access, connectionId, body }) => access.proceed(connectionId, body),
};

const connectionStatus: Command = {
  fields: new Set(['showPrivileges']),
  run({ access, connectionId }) {
    const user = access.userOf(connectionId);
    return {
      authInfo: {
        authenticatedUsers: user ? [{ user: user.name, db: 'admin' }] : [],
        authenticatedUserRoles: (user?.databases ?? []).map((db) => ({ role: user?.role, db })),
      },
    };
  },
};

const sessionUser = ({ access, connectionId }: CommandContext): string => access.userOf(connectionId)?.name ?? '';

const commitTransaction: Command = {
  fields: new Set(['recoveryToken']),
  writes: true,
  run(context) {
    const { sessions, engine, body } = context;
    sessions.commit(body, sessionUser(context), () => engine.storage.settled(false));
    return {};
  },
};

const abortTransaction: Command = {
  fields: new Set(['recoveryToken']),
  run(context) {
    context.sessions.abort(context.body, sessionUser(context));
    return {};
  },
};

const endSessions: Command = {
  fields: none,
  run(context) {
    const { sessions, body } = context;
    sessions.end(body.endSessions ?? body.killSessions, sessionUser(context));
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
  connectionStatus,
  serverStatus,
  saslStart,
  saslContinue,
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
