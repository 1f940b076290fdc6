import { inboxOf } from './bus-users.ts';

const credential = /^((?:nats|tls):\/\/)([^/@]+)@(.+)$/;

/** How every connection to the bus is made: it waits for the server, at the start and for ever after. */
export type NatsOptions = {
  servers: string[];
  user?: string;
  pass?: string;
  tls?: Record<string, never>;
  /** Answers arrive under a prefix of the user's own, which permissions give to nobody else. */
  inboxPrefix?: string;
  maxReconnectAttempts: number;
  reconnectTimeWait: number;
  waitOnFirstConnect: boolean;
  pingInterval: number;
  maxPingOut: number;
  timeout: number;
};

/**
 * A server that stands still keeps its connections open: a process that is connected to it hears nothing and is heard by nobody until it goes on.
 * So each connection asks it every 0.75 s, and after two questions without an answer goes to another one: 2.3 s at most, where the client's
 * own default is 6 minutes. The client may try the same server first; one that does not answer is given up after 2 s, not 20.
 */
const livingServer = { pingInterval: 750, maxPingOut: 2, timeout: 2_000 };

/**
 * The client's options for `nats://user:password@a:4222,nats://b:4222`. The client itself (nats 2.29) takes neither a list in
 * one text nor credentials inside a URL: it would connect without them. A token stands in the place of the user.
 */
export function natsOptions(url: string): NatsOptions & { token?: string } {
  const parts = url.split(',').map((part) => part.trim());
  const [user, pass] = credential.exec(parts.find((part) => credential.test(part)) ?? '')?.[2]?.split(':') ?? [];
  const known =
    user === undefined
      ? {}
      : pass === undefined
        ? { token: decodeURIComponent(user) }
        : {
            user: decodeURIComponent(user),
            pass: decodeURIComponent(pass),
            inboxPrefix: inboxOf(decodeURIComponent(user)),
          };
  return {
    servers: parts.map((part) => part.replace(credential, '$1$3')),
    ...known,
    ...(parts.some((part) => part.startsWith('tls://')) ? { tls: {} } : {}),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: true,
    ...livingServer,
  };
}
