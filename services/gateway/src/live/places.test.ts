import { expect, test } from '@jest/globals';
import { Places } from './places.ts';

const places = () => {
  const held = new Places({ perCaller: 2, perNetwork: 3 });
  const take = (ip: string, wallet_address?: string) => {
    const caller = { wallet_address: wallet_address ?? '', sid: 's', issuer: 'i' };
    return held.take({
      ip,
      verified: wallet_address === undefined ? undefined : { caller, expiresAtMs: 0, isEmbedded: true },
    });
  };
  return take;
};
const refusal = expect.objectContaining({ code: 'RATE_LIMITED', data: { retry_after_seconds: 10 } });

test('error: RATE_LIMITED counts the public by network: all addresses of an IPv6 /64 together, and each IPv4 address', () => {
  const take = places();
  for (const ip of ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:3::1', '192.0.2.1', '192.0.2.2']) take(ip);
  expect(() => take('2001:db8:1:2::7')).toThrow(refusal);
});

test('error: RATE_LIMITED for more streams of a wallet than one may have, wherever they come from', () => {
  const take = places();
  take('192.0.2.1', '0xa');
  const leave = take('192.0.2.2', '0xa');
  expect(() => take('192.0.2.3', '0xa')).toThrow(refusal);
  leave();
  expect(take('192.0.2.3', '0xa')).toEqual(expect.any(Function));
});

test('error: RATE_LIMITED for more streams of all wallets of a network than these may have; the public of it is counted by itself', () => {
  const take = places();
  // The first of each wallet is not among them.
  for (const wallet of ['0xa', '0xb', '0xc', '0xd']) take('192.0.2.1', wallet);
  const leave = take('192.0.2.1', '0xa');
  take('192.0.2.1', '0xb');
  take('192.0.2.1', '0xc');
  expect(() => take('192.0.2.1', '0xd')).toThrow(refusal);
  // Who was refused for the network has used up none of the wallet's own places.
  expect(take('192.0.2.2', '0xd')).toEqual(expect.any(Function));
  expect(take('192.0.2.1')).toEqual(expect.any(Function));
  leave();
  take('192.0.2.1', '0xe');
  expect(take('192.0.2.1', '0xe')).toEqual(expect.any(Function));
});
