import { isIP } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import type { PostOutcome } from './safe-post.ts';

export type MailServer = {
  /** `smtps://user:password@host:465`, or `smtp://…:587`, which asks for TLS unless it is on this machine. */
  url: string;
  from: string;
};
export type SendMail = (message: SendMailOptions) => Promise<PostOutcome>;

const TIMEOUT_MS = 10_000;

const isHere = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));

function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  if (typeof responseCode === 'number') return `SMTP_${responseCode}`;
  if (code === 'ETIMEDOUT' || code === 'ETIME') return 'TIMEOUT';
  return typeof code === 'string' ? code : 'SEND_FAILED';
}

/** Sends mail through the operator's server, one connection each. It never throws for what the server does. */
export function mailSender({ url, from }: MailServer): SendMail {
  const { protocol, hostname } = new URL(url);
  const transport = createTransport({
    url,
    requireTLS: protocol === 'smtp:' && !isHere(hostname),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // A text is a text: neither a file nor a URL is read for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (message) => {
    const began = performance.now();
    const outcome = (ok: boolean, reason: string | null): PostOutcome => ({
      ok,
      status: null,
      reason,
      durationMs: Math.round(performance.now() - began),
    });
    try {
      await transport.sendMail({ ...message, from });
      return outcome(true, null);
    } catch (error) {
      return outcome(false, reasonOf(error));
    }
  };
}
