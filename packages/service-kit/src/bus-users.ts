import { busReaders, busServiceNames } from '@castellan/contracts';

/** The user of `castellan dead-letters`, who publishes again what a handler could not take. */
export const operatorUser = 'operator';

/** The users of the services' account. */
export const accountUsers: readonly string[] = [...busServiceNames, operatorUser];

/** Users with an account of their own, who read public streams. */
export const readerUsers: readonly string[] = Object.keys(busReaders);

/** Users of the bus whose names do not depend on the validators' keys: each has a password. */
export const busUsers: readonly string[] = [...accountUsers, ...readerUsers];

/**
 * What a user's requests of JetStream begin with. An account without JetStream of its own hears `$JS.API` from the server itself,
 * so that of the readers has the requests which it may make under another name.
 */
export const jetStreamPrefixOf = (user: string | undefined): string =>
  user !== undefined && readerUsers.includes(user) ? 'READ.API' : '$JS.API';

const oraclePrefix = 'oracle-';

/** The user of a validator, by the part of its off-chain key that no other has. */
export const oracleUserOf = (key: string): string => `${oraclePrefix}${key}`;

/** Users with permissions of their own: on a bus without users, and one with a single user for all, there are none. */
export const isRestricted = (user: string): boolean => busUsers.includes(user) || user.startsWith(oraclePrefix);

/** Where the answers of a user's requests arrive. */
export const inboxOf = (user: string): string => `_INBOX_${user.replaceAll(/[^\w-]/g, '_')}`;

/** The variable of the server's configuration that holds a user's password. */
export const passwordVariableOf = (user: string): string => `NATS_${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
