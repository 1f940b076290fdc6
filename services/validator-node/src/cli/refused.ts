/** MongoDB's `Unauthorized` and `AuthenticationFailed`. */
const storeCodes: readonly unknown[] = [13, 18];
/** The NATS client's, for a name, a password or a key that the server does not take. */
const busCodes: readonly unknown[] = [
  'AUTHORIZATION_VIOLATION',
  'AUTHENTICATION_EXPIRED',
  'BAD_AUTHENTICATION',
  'BAD_CREDS',
];

/** In words for its operator, who refused the node's name or password; undefined for any other fault. */
export function refusalOf(error: unknown): string | undefined {
  const { name, code, message } = (error ?? {}) as { name?: unknown; code?: unknown; message?: unknown };
  if (name === 'MongoServerError' && storeCodes.includes(code)) {
    return `The store refused the user of [database] url (${message}). Correct its user, password or authSource, or the user's rights.`;
  }
  if (name === 'NatsError' && busCodes.includes(code)) {
    return `The message bus refused the node (${message}). Correct the user and password in [bus] credentials_file and in [events] url.`;
  }
  return undefined;
}
