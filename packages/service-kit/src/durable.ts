/** Durable events without what it takes to run a service: a door of its own. */
export { readerUsers } from './bus-users.ts';
export { connectDurable, type DurableBus } from './durable/connection.ts';
export { consumeDurable } from './durable/consume.ts';
export { type Delivery, type Handler, on } from './durable/handler.ts';
export type { Bury, Dead } from './durable/settle.ts';
export { createLogger, type Logger } from './logger.ts';
