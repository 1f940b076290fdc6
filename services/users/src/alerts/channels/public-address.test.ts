import { describe, expect, test } from '@jest/globals';
import { isPublicAddress } from './public-address.ts';

describe('addresses that are not of the public internet', () => {
  test.each([
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1']],
    [
      'link-local, where clouds keep their metadata',
      ['169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::a9fe:a9fe'],
    ],
    ['shared by carriers', ['100.64.0.1', '100.127.255.255']],
    ['unspecified, broadcast, multicast', ['0.0.0.0', '0.1.2.3', '255.255.255.255', '224.0.0.1', '::', 'ff02::1']],
    [
      'reserved, for documentation and tests',
      ['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '2001:db8::1'],
    ],
    [
      'IPv4 in IPv6',
      [
        '::ffff:127.0.0.1',
        '::ffff:10.0.0.1',
        '::ffff:a9fe:a9fe',
        '::127.0.0.1',
        '::ffff:0:127.0.0.1',
        '64:ff9b::7f00:1',
        '64:ff9b:1::7f00:1',
      ],
    ],
    ['tunnels', ['2002:7f00:1::1', '2001:0:7f00:1::1']],
    ['site-local of old, metadata of clouds in IPv6', ['fec0::1', 'fd00:ec2::254']],
    ['no address at all', ['', 'localhost', '1.2.3', '999.1.1.1', 'fe80::1%eth0']],
  ])('behavior: %s', (_what, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  test('default: public ones may be called', () => {
    const addresses = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '172.32.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'];
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});
