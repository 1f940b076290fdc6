export type { StoreUser } from './auth/users.ts';
export { type FindNatsOptions, findNatsServer } from './nats/find.ts';
export { type NatsCluster, type NatsCommand, type NatsOptions, natsServerCommand, startNats } from './nats/start.ts';
export { type DocumentStore, type DocumentStoreOptions, startDocumentStore } from './store.ts';
