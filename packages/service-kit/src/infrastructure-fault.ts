import { errorCodeOf, errorCodes } from '@castellan/contracts';

/** Node's codes of a connection that cannot be made or broke. */
const socketCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes of the NATS client for a server, or a JetStream leader, that does not answer. */
const natsCodes: ReadonlySet<string> = new Set([
  '503',
  'TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DRAINING',
  'CONNECTION_REFUSED',
  'CONNECTION_TIMEOUT',
  'DISCONNECT',
]);

/** Errors of the MongoDB driver and of mongoose that mean: no server could be asked. */
const storeErrors: ReadonlySet<string> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNotConnectedError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoPoolClearedOnNetworkError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError',
]);

/** Server codes that the retryable-writes specification lists: a failover, or a server that shuts down. */
const failoverCodes: ReadonlySet<number> = new Set([
  ...[6, 7, 89, 91, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436],
]);

/**
 * What nodes answer for a block they do not have yet: daily business behind a load balancer, where the head came from another
 * node. Not the text of a revert, which is the contract's.
 */
const blockIsMissing =
  /^(?!.*revert).*(BlockOutOfRange|header not found|unknown block|block (\S+ )?(is )?not (found|available)|block .*beyond)/i;

const deepest = 8;

type Inspected = { name?: unknown; code?: unknown; details?: unknown; errorLabels?: unknown; cause?: unknown };

/**
 * True when the store, the bus or a chain node could not be asked, so that the same work may succeed later without any change:
 * nobody answers, a connection broke, a failover is under way, a node is behind the block that is asked about. False for everything that is wrong with the work itself.
 * Follows `cause` until an error that decides.
 * @see https://github.com/mongodb/specifications/blob/master/source/retryable-writes/retryable-writes.md
 */
export function isInfrastructureFault(error: unknown): boolean {
  let inspected = error;
  for (let depth = 0; depth < deepest && typeof inspected === 'object' && inspected !== null; depth += 1) {
    const code = errorCodeOf(inspected);
    if (code) return errorCodes[code].status === 503;
    if (isTransportFault(inspected) || isConnectionFault(inspected) || isNodeBehind(inspected)) return true;
    inspected = (inspected as Inspected).cause;
  }
  return false;
}

function isConnectionFault(error: Inspected): boolean {
  const { name, code, errorLabels } = error;
  if (storeErrors.has(String(name))) return true;
  if (name === 'MongoServerError' || name === 'MongoWriteConcernError')
    return failoverCodes.has(Number(code)) || labels(errorLabels).includes('RetryableWriteError');
  if (name === 'NatsError') return natsCodes.has(String(code));
  return socketCodes.has(String(code));
}

/** viem keeps what the node itself answered in `details`. */
const isNodeBehind = ({ name, details }: Inspected): boolean =>
  name === 'RpcRequestError' && blockIsMissing.test(String(details));

const labels = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const transportFaults = [
  'SERVICE_NOT_FOUND',
  'SERVICE_NOT_AVAILABLE',
  'REQUEST_TIMEOUT',
  'REQUEST_SKIPPED',
  'QUEUE_FULL',
  'REQUEST_REJECTED',
];

/** True for the bus's own faults: nobody answers, too late, circuit open. */
export const isTransportFault = (error: unknown): boolean =>
  transportFaults.includes(String((error as { type?: unknown } | null)?.type));
