import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where public addresses of IPv6 lie; what is outside is local, or carries an IPv4 address in a way of its own. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is of the public internet: not private, loopback, link-local (where clouds keep their metadata), shared by
 * carriers, multicast, reserved, or an IPv6 form of one of those.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return false;
  // An IPv4 address in IPv6 clothes is judged as what it is.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast);
}
