export { type Call, type CallAction, type CallOptions, callAction, implement } from './action.ts';
export { backups } from './backups.ts';
export { type BrokerSettings, createBroker } from './broker.ts';
export { registerBuildInfo, thisBuild } from './build-info.ts';
export { busPermissionsOf, oracleSubjects, servicesConf, userBlock } from './bus-permissions.ts';
export { deadStreamOf, streamNameOf, subjectOf } from './bus-subjects.ts';
export { busUsers, inboxOf, operatorUser, oracleUserOf, passwordVariableOf, readerUsers } from './bus-users.ts';
export {
  type CollectionDefinition,
  type CollectionIndex,
  type DocumentOf,
  defineCollection,
  type Kept,
  type Migration,
} from './collection.ts';
export {
  type BaseConfig,
  baseConfig,
  baseEnvironment,
  ConfigError,
  configLoader,
  requireIdentity,
} from './config.ts';
export { type Env, withFiles } from './config-files.ts';
export {
  connectDurable,
  type DurableBus,
  defineStreams,
  mayDefine,
  publishDurable,
} from './durable/connection.ts';
export { type Consumption, consumeDurable } from './durable/consume.ts';
export {
  type DeadLetter,
  listDeadLetters,
  readDeadLetter,
  redriveDeadLetter,
} from './durable/dead-letters.ts';
export { type Followed, type Following, followStream } from './durable/follow.ts';
export { moveToOutbox } from './durable/former-pending.ts';
export { type Delivery, type Handler, on } from './durable/handler.ts';
export { hearEvent } from './durable/hear.ts';
export { oncePerMessage } from './durable/once.ts';
export { createOutbox, type Outbox, outboxSweepOfEndsMs, outboxTakeoverMs } from './durable/outbox.ts';
export { type PendingEvent, pendingEvent, pendingRow, type RecordWith, recorder } from './durable/record.ts';
export { ErrorsOnBus, toAppError } from './errors-on-bus.ts';
export { etagOf } from './etag.ts';
export {
  acquireLease,
  type Lease,
  LeaseLost,
  type NamedLease,
  namedLease,
  releaseLease,
  renewLeases,
} from './fenced-lease.ts';
export { createIdentity, type Identity, type Proven } from './identity/identity.ts';
export type { PrivateKey, PublicKey, PublicKeys, ServiceKeys } from './identity/keys.ts';
export { bindIdentity } from './identity/on-bus.ts';
export { isInfrastructureFault, isTransportFault } from './infrastructure-fault.ts';
export { cursorOf, foundAndTotal, invalidCursor, pageOf, placeIn } from './list-cursor.ts';
export { createLogger, type Fields, type Logger } from './logger.ts';
export { type HeldLoop, heldLoop, reportFailure } from './loop/held-loop.ts';
export { type Held, LeaseHold } from './loop/lease-hold.ts';
export { type Next, PacedLoop } from './loop/paced-loop.ts';
export {
  Counter,
  createRegistry,
  Gauge,
  Histogram,
  Registry,
  registerProcessMetrics,
  secondsBuckets,
} from './metrics.ts';
export { migrateAgainLater, migrateCollections } from './migrations.ts';
export { connectMongo, ensureIndexes, isDuplicateKey, pingMongo } from './mongo.ts';
export { onStoreCommand } from './mongo-commands.ts';
export { type Check, type Health, startMonitoring } from './monitoring.ts';
export { type NatsOptions, natsOptions } from './nats-options.ts';
export { ownCollections } from './own-collections.ts';
export { currentRequestId, requestIdHeader, withRequestId } from './request-context.ts';
export { restores } from './restores.ts';
export {
  type RunningService,
  runService,
  type ServiceContext,
  type ServiceDefinition,
  type ServiceParts,
  startService,
} from './run-service.ts';
export { isSecret, maskSecrets, rememberSecret, secret } from './secret.ts';
export { sharedOutBy } from './sharding.ts';
export { gatheredRead, sharedByParams, sharedRead, sharedReads } from './shared-read.ts';
export { Shutdown } from './shutdown.ts';
export { activeTracing, startTracing, type Tracing } from './tracing/provider.ts';
export {
  type Carrier,
  currentTraceId,
  inSpan,
  inSpanNow,
  isRecordedTrace,
  outsideTrace,
  recordedTrace,
  SpanKind,
  traceHeaders,
  withoutSpans,
} from './tracing/span.ts';
export { type ClientSession, inTransaction, Overtaken } from './transaction.ts';
