import { describe, expect, test } from '@jest/globals';
import { createSiweMessage } from 'viem/siwe';
import { answersChallenge, type Challenge, isIssuedTypedData, siweMessageOf, typedDataOf } from './challenge.ts';

const relier = { origin: 'https://app.example.org' };
const challenge: Challenge = {
  nonce: 'abcdefgh12345678',
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  chainId: 31337,
  issuedAt: new Date('2026-01-01T00:00:00Z'),
  expiresAt: new Date('2026-01-01T00:05:00Z'),
};
const issued = siweMessageOf(challenge, relier);

describe('SIWE', () => {
  test('default: the issued message answers its challenge', () => {
    expect(answersChallenge(issued, challenge, relier)).toBe(true);
  });

  test('behavior: another statement is allowed', () => {
    expect(answersChallenge(issued.replace('Sign in to Castellan.', 'Hello.'), challenge, relier)).toBe(true);
  });

  const changes: [string, string, string][] = [
    ['domain', 'app.example.org wants', 'evil.example.org wants'],
    ['scheme', 'app.example.org wants', 'http://app.example.org wants'],
    ['uri', 'URI: https://app.example.org', 'URI: https://evil.example.org'],
    ['chain', 'Chain ID: 31337', 'Chain ID: 1'],
    ['nonce', 'Nonce: abcdefgh12345678', 'Nonce: abcdefgh12345679'],
    ['version', 'Version: 1', 'Version: 2'],
    ['issued at', '00:00:00', '00:00:01'],
    ['expiration', '00:05:00', '23:05:00'],
    ['address', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'],
  ];
  test.each(changes)('behavior: another %s is refused', (_name, from, to) => {
    expect(issued).toContain(from);
    expect(answersChallenge(issued.replace(from, to), challenge, relier)).toBe(false);
  });

  test('behavior: text beside the fields is refused', () => {
    expect(answersChallenge(`${issued}\nand more`, challenge, relier)).toBe(false);
    expect(answersChallenge(`${issued}\nResources:\n- https://evil.example.org`, challenge, relier)).toBe(false);
  });

  test('behavior: a message without expiry is refused', () => {
    const endless = createSiweMessage({
      address: challenge.address as `0x${string}`,
      chainId: 31337,
      domain: 'app.example.org',
      nonce: challenge.nonce,
      uri: relier.origin,
      version: '1',
      issuedAt: challenge.issuedAt,
    });
    expect(answersChallenge(endless, challenge, relier)).toBe(false);
  });
});

describe('EIP-712', () => {
  const typed = typedDataOf(challenge, relier);

  test('default: the issued typed data is recognised, in any order of keys, with or without its domain type', () => {
    expect(isIssuedTypedData(typed, challenge, relier)).toBe(true);
    const { EIP712Domain: _left, ...types } = typed.types;
    const message = Object.fromEntries(Object.entries(typed.message).reverse()) as typeof typed.message;
    expect(isIssuedTypedData({ ...typed, types, message }, challenge, relier)).toBe(true);
  });

  test('behavior: any change is refused', () => {
    const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
    const variants = [
      { ...typed, domain: { ...typed.domain, chainId: 1 } },
      { ...typed, domain: { ...typed.domain, name: 'Other' } },
      { ...typed, message: { ...typed.message, wallet: other } },
      { ...typed, message: { ...typed.message, uri: 'https://evil.example.org' } },
      { ...typed, message: { ...typed.message, statement: 'x' } },
      { ...typed, message: { ...typed.message, expirationTime: '2030-01-01T00:00:00.000Z' } },
      { ...typed, types: { ...typed.types, Authentication: typed.types.Authentication?.slice(1) ?? [] } },
      { ...typed, types: { ...typed.types, Extra: [] } },
    ];
    for (const variant of variants) expect(isIssuedTypedData(variant, challenge, relier)).toBe(false);
  });
});
