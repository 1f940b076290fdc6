import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<{ requestId: string }>();

/** Runs `work` under a request id, which logs and calls of that work carry. */
export const withRequestId = <T>(requestId: string, work: () => T): T => storage.run({ requestId }, work);

/** The request id of the work at hand, if it has one. */
export const currentRequestId = (): string | undefined => storage.getStore()?.requestId;

/** The header that carries a request id, over HTTP and in events. */
export const requestIdHeader = 'x-request-id';
