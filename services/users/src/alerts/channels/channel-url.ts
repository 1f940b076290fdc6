import { isIP } from 'node:net';
import { AppError } from '@castellan/contracts';
import { isPublicAddress } from './public-address.ts';

/** The refusal of an address that notifications must not go to. */
export const forbidden = (detail: string): AppError => new AppError('ADDRESS_FORBIDDEN', detail);
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/**
 * Whether notifications may go to this URL, by its text alone: https, no credentials, no address of a private network.
 * @throws AppError ADDRESS_FORBIDDEN.
 */
export function checkUrl(text: string, trustedOrigins: readonly string[]): { url: URL; isTrusted: boolean } {
  if (!URL.canParse(text)) throw forbidden('This is no URL.');
  const url = new URL(text);
  const isTrusted = trustedOrigins.includes(url.origin);
  if (url.protocol !== 'https:' && !(isTrusted && url.protocol === 'http:'))
    throw forbidden('Notifications go to https addresses only.');
  if (url.username !== '' || url.password !== '') throw forbidden('The URL must not carry credentials.');
  const host = hostOf(url);
  if (!isTrusted && isIP(host) !== 0 && !isPublicAddress(host))
    throw forbidden('This address is not of the public internet.');
  return { url, isTrusted };
}
