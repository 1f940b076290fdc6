import { createHash } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import { AppError, type Caller, chatNamespace } from '@castellan/contracts';
import { toAppError } from '@castellan/service-kit';
import type { Revocations, TokenVerifier, VerifiedToken } from '@castellan/tokens';
import { Server, type Socket } from 'socket.io';
import type { AiMetrics } from '../telemetry.ts';
import { ChatConnection, type ConnectionPorts } from './connection.ts';
import { errorMessageOf } from './messages.ts';
import { watchToken } from './sessions.ts';

/** A message of 4 000 characters, each of which JSON may write as six bytes, and what is around it. */
const largestMessage = 32_768;
const longestToken = 8_192;
/** How long clients may take to read the ends of their answers when the service stops. */
const partingMs = 200;

export type ChatPorts = ConnectionPorts & {
  verifier: TokenVerifier;
  revocations: Revocations;
  metrics: AiMetrics;
};

/** Origins of pages that may connect, and how often one wallet may. */
export type ChatOptions = { origins: readonly string[]; connectionsPerUser: number };

/** A refusal as socket.io tells it: `data` arrives with `connect_error`. */
const refusal = (error: AppError): Error => {
  const { code, detail, retry_after_seconds } = errorMessageOf(error);
  return Object.assign(new Error(detail), { data: { code, detail, retry_after_seconds } });
};

async function verified(verifier: TokenVerifier, { token }: Record<string, unknown>): Promise<VerifiedToken> {
  if (token === undefined) throw new AppError('TOKEN_MISSING', 'Send the token in the handshake: auth: { token }.');
  if (typeof token !== 'string' || token.length > longestToken)
    throw new AppError('TOKEN_INVALID', 'The token of the handshake is not a bearer token.');
  return verifier.verify(token, createHash('sha256').update(token).digest('base64url'));
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
  new AppError('RATE_LIMITED', 'You have as many chats open as one wallet may. Close one.', {
    data: { retry_after_seconds: 10 },
  });

function openSockets(http: HttpServer, { origins, connectionsPerUser }: ChatOptions, ports: ChatPorts): Server {
  const allowed = new Set(origins);
  const io = new Server(http, {
    ...{ path: '/socket.io', transports: ['websocket'], serveClient: false, allowUpgrades: false },
    ...{ maxHttpBufferSize: largestMessage, connectTimeout: 10_000 },
    // Browsers name the page; another's page must not use the token of whoever looks at it.
    allowRequest: ({ headers: { origin } }, answer) => answer(null, origin === undefined || allowed.has(origin)),
  });
  const seats = new Seats(connectionsPerUser);
  io.use((_socket, next) => next(refusal(new AppError('BAD_REQUEST', `Connect to ${chatNamespace}.`))));
  io.of(chatNamespace).use((socket, next) => {
    verified(ports.verifier, socket.handshake.auth).then(
      (token) => {
        socket.data = token;
        next();
      },
      (error: unknown) => next(refusal(toAppError(error))),
    );
  });
  io.of(chatNamespace).on('connection', (socket: Socket<never, never, never, VerifiedToken>) => {
    const token = socket.data as VerifiedToken;
    const { outlet } = new ChatConnection(socket as unknown as Socket, token, ports);
    const leave = seats.take(token.caller);
    if (!leave) {
      outlet.close(errorMessageOf(tooMany()));
      return;
    }
    ports.metrics.chatConnections.inc();
    const forget = watchToken(token, ports, (reason) => outlet.close(reason));
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
 * @returns close: lets go of those who are there, who connect again, to another instance.
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
