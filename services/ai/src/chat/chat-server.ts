import type { Server as HttpServer } from 'node:http';
import { AppError, type Caller, chatNamespace, errorCodeOf, longestEnvelope } from '@castellan/contracts';
import { toAppError } from '@castellan/service-kit';
import type { Revocations, VerifiedToken } from '@castellan/tokens';
import { Server, type Socket } from 'socket.io';
import type { Callers } from '../http/callers.ts';
import type { AiMetrics } from '../telemetry/metrics.ts';
import { ChatConnection, type ConnectionPorts } from './connection.ts';
import { errorMessageOf } from './error-message.ts';
import { watchToken } from './watch-token.ts';

/** A message of 4 000 characters, each of which JSON may write as six bytes, and what is around it. */
const largestMessage = 32_768;
/** How long clients may take to read the ends of their answers when the service stops. */
const partingMs = 200;

export type ChatPorts = ConnectionPorts & {
  admit: Callers['admit'];
  revocations: Revocations;
  metrics: AiMetrics;
};

/** Origins of pages that may connect, and how often one wallet may. */
export type ChatOptions = { origins: readonly string[]; connectionsPerUser: number };

/** A refusal as socket.io sends it: `data` arrives with `connect_error`. */
const refusal = (error: AppError): Error => {
  const { code, detail, retry_after_seconds } = errorMessageOf(error);
  return Object.assign(new Error(detail), { data: { code, detail, retry_after_seconds } });
};

/** The gateway sends an envelope in the place of the token, or why it refused the token. */
async function admitted({ admit }: ChatPorts, auth: Record<string, unknown>): Promise<VerifiedToken> {
  const { envelope, refusal: refused } = auth as { envelope?: unknown; refusal?: { code?: unknown; detail?: unknown } };
  const code = errorCodeOf({ type: refused?.code, code: refused?.code });
  if (refused !== undefined) throw new AppError(code ?? 'TOKEN_INVALID', String(refused?.detail ?? ''));
  if (typeof envelope !== 'string' || envelope.length > longestEnvelope)
    throw new AppError('TOKEN_MISSING', 'Connect through the gateway.');
  return admit(envelope);
}

/** Connections by wallet, so that nobody takes them all. */
class Seats {
  readonly #taken = new Map<string, number>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns gives the seat back, or undefined when the wallet has no more. */
  take({ wallet_address: wallet }: Caller): (() => void) | undefined {
    const taken = this.#taken.get(wallet) ?? 0;
    if (taken >= this.#most) return undefined;
    this.#taken.set(wallet, taken + 1);
    return () => {
      const left = (this.#taken.get(wallet) ?? 1) - 1;
      if (left === 0) this.#taken.delete(wallet);
      else this.#taken.set(wallet, left);
    };
  }
}

const tooMany = () =>
  new AppError('RATE_LIMITED', 'You have too many chats open. Close one.', {
    data: { retry_after_seconds: 10 },
  });

function openSockets(http: HttpServer, { origins, connectionsPerUser }: ChatOptions, ports: ChatPorts): Server {
  const allowed = new Set(origins);
  const io = new Server(http, {
    path: '/socket.io',
    transports: ['websocket'],
    serveClient: false,
    allowUpgrades: false,
    maxHttpBufferSize: largestMessage,
    connectTimeout: 10_000,
    // Browsers name the page; another's page must not use the token of its visitor.
    allowRequest: ({ headers: { origin } }, answer) => answer(null, origin === undefined || allowed.has(origin)),
  });
  const seats = new Seats(connectionsPerUser);
  io.use((_socket, next) => next(refusal(new AppError('BAD_REQUEST', `Connect to ${chatNamespace}.`))));
  io.of(chatNamespace).use((socket, next) => {
    admitted(ports, socket.handshake.auth).then(
      (token) => {
        socket.data = token;
        next();
      },
      (error: unknown) => next(refusal(toAppError(error))),
    );
  });
  io.of(chatNamespace).on('connection', (socket: Socket<never, never, never, VerifiedToken>) => {
    const token = socket.data as VerifiedToken;
    const { writer } = new ChatConnection(socket as unknown as Socket, token, ports);
    const leave = seats.take(token.caller);
    if (!leave) {
      writer.close(errorMessageOf(tooMany()));
      return;
    }
    ports.metrics.chatConnections.inc();
    const forget = watchToken(token, ports, (reason) => writer.close(reason));
    socket.once('disconnect', () => {
      ports.metrics.chatConnections.dec();
      leave();
      forget();
    });
  });
  return io;
}

/**
 * Serves the chat on a port of the service.
 * @returns close: disconnects all clients, which connect again to another instance.
 */
export function attachChat(http: HttpServer, options: ChatOptions, ports: ChatPorts): { close(): Promise<void> } {
  const io = openSockets(http, options, ports);
  const stopOfRevoked = ports.revocations.onRevoked((sid) => ports.answers.stopOf(sid));
  return {
    close: async () => {
      stopOfRevoked();
      await ports.answers.close();
      await ports.wait(partingMs);
      io.disconnectSockets(true);
      io.engine.close();
    },
  };
}
