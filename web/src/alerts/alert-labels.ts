import type { Tone } from '../design/pill.tsx';
import type { Alert, Binding, Channel, Delivery } from './queries.ts';

type Severity = Alert['severity'];

export const severityTones: Record<Severity, Tone> = { critical: 'critical', warning: 'warn', info: 'info' };
export const severityWords: Record<Severity, string> = { critical: 'Critical', warning: 'Warning', info: 'Info' };

export const providerWords: Record<Channel['provider'], string> = {
  slack: 'Slack',
  email: 'Email',
  telegram: 'Telegram',
  pagerduty: 'PagerDuty',
  opsgenie: 'Opsgenie',
  webhook: 'Webhook',
  websocket: 'Websocket',
};

export const stateWords: Record<Binding['state'], { tone: Tone; word: string; meaning: string }> = {
  idle: { tone: 'ok', word: 'Up to date', meaning: 'Nothing waits.' },
  delivering: { tone: 'info', word: 'Delivering', meaning: 'New events are on their way.' },
  retrying: { tone: 'warn', word: 'Retrying', meaning: 'The last try failed; the next ones follow within a minute.' },
  failing: {
    tone: 'critical',
    word: 'Failing',
    meaning: 'The receiver does not take the next event. It is tried each minute, and those behind it wait.',
  },
  inactive: {
    tone: 'plain',
    word: 'Off',
    meaning: 'The channel is switched off. Events wait until it is switched on.',
  },
};

export const outcomeWords: Record<Delivery['outcome'], string> = {
  delivered: 'Arrived',
  failed: 'Did not arrive',
  dead_letter: 'Did not arrive, tried each minute',
};

const eventWords: Readonly<Record<string, string>> = {
  'alert.opened': 'Alert opened',
  'alert.acknowledged': 'Alert acknowledged',
  'alert.resolved': 'Alert resolved',
  'alert.unmuted': 'Alert unmuted',
  'alert.renamed': 'Alert renamed',
  'alert.escalated': 'Alert escalated',
  'alert.digest': 'Digest after quiet hours',
  test: 'Test',
};
export const eventWord = (type: string): string => eventWords[type] ?? type;

const noHost = 'the name of the server was not found';
const badCertificate = 'the certificate of the server is not valid';
const reasons: Readonly<Record<string, string>> = {
  ADDRESS_FORBIDDEN: 'notifications may not be sent to this address',
  BODY_TOO_LARGE: 'the answer was too long',
  CERT_HAS_EXPIRED: 'the certificate of the server has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: badCertificate,
  EAI_AGAIN: noHost,
  ECONNREFUSED: 'nothing listens at the address',
  ECONNRESET: 'the server closed the connection',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  ENOTFOUND: noHost,
  EPIPE: 'the server closed the connection',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is of another server',
  EAUTH: 'the mail server does not accept our password',
  ECONNECTION: 'the mail server cannot be reached',
  EDNS: noHost,
  EENVELOPE: 'the mail server does not take this address',
  ETIMEDOUT: 'no connection in time',
  ETLS: 'the mail server offers no encrypted connection',
  NO_MAIL_SERVER: 'no mail server is set here any more',
  NOT_BOUND: 'the channel is on no vault; choose one first',
  SELF_SIGNED_CERT_IN_CHAIN: badCertificate,
  SEND_FAILED: 'it could not be sent',
  TIMEOUT: 'no answer in time',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: badCertificate,
  UND_ERR_SOCKET: 'the server closed the connection',
};
const statuses: Readonly<Record<string, string>> = {
  '401': 'the server does not accept the sender',
  '403': 'the server does not accept the sender',
  '404': 'there is nothing at this URL',
  '410': 'the receiver at this URL is gone',
  '429': 'the server takes no more for now',
};

function answered(status: string): string {
  if (statuses[status] !== undefined) return statuses[status];
  if (status.startsWith('3')) return 'the server sent to another URL, which is not followed';
  return status.startsWith('5') ? 'the server had an error' : 'the server refused it';
}

/** Why something did not arrive, with the code to look up or to send to the receiver's operator. */
export function reasonWords(reason: string | null): string {
  if (reason === null) return 'no reason is known';
  const status = /^HTTP_(\d{3})$/.exec(reason)?.[1];
  if (/^SMTP_\d{3}$/.test(reason)) return `the mail server refused it (${reason})`;
  const words = status === undefined ? reasons[reason] : answered(status);
  return words === undefined ? reason : `${words} (${reason})`;
}
