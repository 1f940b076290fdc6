import { randomBytes } from 'node:crypto';
import { AppError, type ChannelProvider } from '@castellan/contracts';
import { z } from 'zod';
import { checkUrl } from './channel-url.ts';
import type { ChannelConfig } from './models/collections.ts';

/** What somebody gave for a channel. */
export type GivenConfig = { url?: string | undefined; secret?: string | undefined; to?: string | undefined };

/** Where channels may go, as the operator says. */
export type ChannelPolicy = {
  /** Origins of one's own network that may be called all the same, over http too. */
  trustedOrigins: readonly string[];
  /** Domains that mail may go to; undefined where no mail server is set. */
  emailDomains?: readonly string[] | undefined;
};

/** The hosts of each service; the first is what a channel without a URL goes to. */
const homes = {
  slack: ['hooks.slack.com'],
  telegram: ['api.telegram.org'],
  pagerduty: ['events.pagerduty.com', 'events.eu.pagerduty.com'],
  opsgenie: ['api.opsgenie.com', 'api.eu.opsgenie.com'],
} as const;

/** What keys look like, so that a wrong one is refused here and not by the first alert. */
const keys = {
  telegram: { form: /^\d{5,20}:[\w-]{30,100}$/, words: 'is the token of a bot, such as 123456789:AA…' },
  pagerduty: {
    form: /^[\da-zA-Z]{32}$/,
    words: 'is the integration key of an Events API v2 integration, 32 letters and digits',
  },
  opsgenie: {
    form: /^[\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/,
    words: 'is the key of an API integration, a UUID',
  },
} as const;

/** A chat's or group's number, or the name of a public channel. */
const chat = /^(-?\d{1,20}|@\w{5,32})$/;

const malformed = (field: string, message: string): AppError =>
  new AppError('VALIDATION_FAILED', 'The channel is malformed.', {
    data: { errors: [{ path: `body.config${field}`, message }] },
  });

function refuse(given: GivenConfig, names: readonly (keyof GivenConfig)[], message: string): void {
  const found = names.find((name) => given[name] !== undefined);
  if (found !== undefined) throw malformed(`.${found}`, message);
}

/** The URL of a service that is at hosts of its own. */
function homeUrl(provider: keyof typeof homes, given: string | undefined, { trustedOrigins }: ChannelPolicy): string {
  const { url, isTrusted } = checkUrl(given ?? `https://${homes[provider][0]}/`, trustedOrigins);
  const hosts: readonly string[] = homes[provider];
  if (!isTrusted && !hosts.includes(url.host))
    throw new AppError('ADDRESS_FORBIDDEN', `A ${provider} channel goes to ${hosts.join(' or ')}.`);
  return url.href;
}

function keyFor(provider: keyof typeof keys, secret: string | undefined): string {
  const { form, words } = keys[provider];
  if (secret === undefined || !form.test(secret)) throw malformed('.secret', words);
  return secret;
}

function mailAddress(to: string | undefined, { emailDomains }: ChannelPolicy): string {
  if (emailDomains === undefined)
    throw new AppError('ADDRESS_FORBIDDEN', 'No mail is sent here: the operator has set no mail server (SMTP_URL).');
  const parsed = z.email().max(254).safeParse(to);
  if (!parsed.success) throw malformed('.to', 'is an email address');
  const domain = parsed.data.slice(parsed.data.lastIndexOf('@') + 1).toLowerCase();
  if (!emailDomains.includes(domain))
    throw new AppError('ADDRESS_FORBIDDEN', `Mail goes to addresses of ${emailDomains.join(', ')} only.`);
  return parsed.data;
}

const made: Readonly<Record<ChannelProvider, (given: GivenConfig, policy: ChannelPolicy) => ChannelConfig>> = {
  slack: (given, policy) => {
    refuse(given, ['secret', 'to'], 'Slack takes none: its URL is the secret');
    if (given.url === undefined) throw malformed('.url', 'is required');
    return { url: homeUrl('slack', given.url, policy), secret: null, to: null };
  },
  email: (given, policy) => {
    refuse(given, ['url', 'secret'], 'email takes none, only the address in `to`');
    return { url: null, secret: null, to: mailAddress(given.to, policy) };
  },
  telegram: (given, policy) => {
    if (given.to === undefined || !chat.test(given.to))
      throw malformed('.to', 'is the number of a chat, or @ and a channel’s name');
    return { url: homeUrl('telegram', given.url, policy), secret: keyFor('telegram', given.secret), to: given.to };
  },
  pagerduty: (given, policy) => {
    refuse(given, ['to'], 'PagerDuty takes none: the integration says whom it pages');
    return { url: homeUrl('pagerduty', given.url, policy), secret: keyFor('pagerduty', given.secret), to: null };
  },
  opsgenie: (given, policy) => {
    refuse(given, ['to'], 'Opsgenie takes none: the integration says whom it pages');
    return { url: homeUrl('opsgenie', given.url, policy), secret: keyFor('opsgenie', given.secret), to: null };
  },
  webhook: (given, { trustedOrigins }) => {
    refuse(given, ['to'], 'a webhook takes none');
    if (given.url === undefined) throw malformed('.url', 'is required');
    const { url } = checkUrl(given.url, trustedOrigins);
    return { url: url.href, secret: given.secret ?? randomBytes(32).toString('base64url'), to: null };
  },
  websocket: (given) => {
    refuse(given, ['url', 'secret', 'to'], 'a websocket channel has no configuration');
    return { url: null, secret: null, to: null };
  },
};

/** What a channel of this kind needs. @throws AppError VALIDATION_FAILED, ADDRESS_FORBIDDEN. */
export const configFor = (provider: ChannelProvider, given: GivenConfig, policy: ChannelPolicy): ChannelConfig =>
  made[provider](given, policy);

/** What may be shown of where a channel goes. */
export const shownConfig = ({ url, to }: ChannelConfig): { origin: string | null; to: string | null } => ({
  origin: url === null ? null : `${new URL(url).origin}/…`,
  to: to ? to.replace(/^([^@])[^@]*@(?=.)/, '$1…@') : null,
});
