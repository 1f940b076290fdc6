import { readUsersFile } from './auth/users.ts';
import { startDocumentStore } from './store.ts';

const log = (message: string, fields: Record<string, unknown> = {}): void => {
  process.stdout.write(`${JSON.stringify({ level: 'info', part: 'store', message, ...fields })}\n`);
};

const { STORE_PORT = '27017', STORE_HOST = '127.0.0.1', STORE_DATA_DIR, STORE_USERS_FILE } = process.env;
const { STORE_TTL_SECONDS = '60' } = process.env;
if (!STORE_DATA_DIR) {
  process.stderr.write('STORE_DATA_DIR is not set: name the directory that shall hold the data\n');
  process.exit(2);
}

// Listened to from the start: who reads "ready" may stop the store at once, and a stop meanwhile waits for the start.
const stopAsked = new Promise<void>((resolve) => {
  process.once('SIGTERM', () => resolve());
  process.once('SIGINT', () => resolve());
});

try {
  const users = STORE_USERS_FILE ? readUsersFile(STORE_USERS_FILE) : undefined;
  const where = { host: STORE_HOST, port: Number(STORE_PORT), dataDir: STORE_DATA_DIR };
  const ttlIntervalMs = Number(STORE_TTL_SECONDS) * 1_000;
  const store = await startDocumentStore({ ...where, ttlIntervalMs, ...(users && { users }), log });
  await stopAsked;
  await store.stop();
  process.exit(0);
} catch (error) {
  const taken = (error as { code?: string }).code === 'EADDRINUSE';
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(taken ? `Port ${STORE_PORT} is taken: set STORE_PORT to a free one\n` : `${reason}\n`);
  process.exit(1);
}
