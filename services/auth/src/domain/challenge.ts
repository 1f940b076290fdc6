import type { TypedData } from '@castellan/contracts';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';

/** What one nonce was issued for. `address` is EIP-55; times are whole seconds, because both messages carry them as text. */
export type Challenge = { nonce: string; address: string; chainId: number; issuedAt: Date; expiresAt: Date };

/** The deployment that asks: an origin such as `https://app.example.org`. */
export type Relier = { origin: string };

const statement = 'Sign in to Castellan. This costs nothing and sends no transaction.';

/**
 * The EIP-4361 message a wallet signs for this challenge.
 * @see EIP-4361; `domain` is the authority of the origin, so a wallet can compare it with the page that asks.
 */
export const siweMessageOf = (challenge: Challenge, { origin }: Relier): string =>
  createSiweMessage({
    address: challenge.address as `0x${string}`,
    chainId: challenge.chainId,
    domain: new URL(origin).host,
    nonce: challenge.nonce,
    uri: origin,
    version: '1',
    statement,
    issuedAt: challenge.issuedAt,
    expirationTime: challenge.expiresAt,
  });

/**
 * The EIP-712 typed data a wallet signs for this challenge, ready for `eth_signTypedData_v4`.
 * `EIP712Domain` is listed because wallets asked directly compute the domain from it.
 */
export const typedDataOf = (challenge: Challenge, { origin }: Relier): TypedData => ({
  domain: { name: 'Castellan', version: '1', chainId: challenge.chainId },
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Authentication: [
      { name: 'wallet', type: 'address' },
      { name: 'uri', type: 'string' },
      { name: 'statement', type: 'string' },
      { name: 'nonce', type: 'string' },
      { name: 'issuedAt', type: 'string' },
      { name: 'expirationTime', type: 'string' },
    ],
  },
  primaryType: 'Authentication',
  message: {
    wallet: challenge.address,
    uri: origin,
    statement,
    nonce: challenge.nonce,
    issuedAt: challenge.issuedAt.toISOString(),
    expirationTime: challenge.expiresAt.toISOString(),
  },
});

type SiweFields = ReturnType<typeof parseSiweMessage>;

/** The fields of a sign-in message, or undefined when it is not a complete EIP-4361 message. */
export function readSiweMessage(message: string): (SiweFields & { nonce: string }) | undefined {
  const fields = parseSiweMessage(message);
  const { nonce, address, domain, uri, version, chainId, issuedAt } = fields;
  if (!nonce || !address || !domain || !uri || !version || !chainId || !issuedAt) return undefined;
  return Number.isNaN(issuedAt.getTime()) ? undefined : { ...fields, nonce };
}

const reprint = (fields: SiweFields): string | undefined => {
  try {
    return createSiweMessage(fields as Parameters<typeof createSiweMessage>[0]);
  } catch {
    return undefined; // A field no EIP-4361 message may hold.
  }
};

/**
 * Whether a sign-in message asks for what was issued: same domain, URI, chain, nonce, address and times. Its statement is free.
 * The message must also be exactly what its fields print as, so that no text hides beside them.
 */
export function answersChallenge(message: string, challenge: Challenge, { origin }: Relier): boolean {
  const fields = readSiweMessage(message);
  if (!fields || reprint(fields) !== message) return false;
  return (
    fields.domain === new URL(origin).host &&
    fields.uri === origin &&
    fields.scheme === undefined &&
    fields.version === '1' &&
    fields.chainId === challenge.chainId &&
    fields.nonce === challenge.nonce &&
    fields.address?.toLowerCase() === challenge.address.toLowerCase() &&
    fields.issuedAt?.getTime() === challenge.issuedAt.getTime() &&
    fields.expirationTime?.getTime() === challenge.expiresAt.getTime() &&
    fields.notBefore === undefined &&
    fields.requestId === undefined &&
    fields.resources === undefined
  );
}

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

/**
 * Whether typed data is what was issued, whatever the order of its keys. The `EIP712Domain` type may be missing, as some
 * libraries leave it out; it does not change what is signed.
 */
export function isIssuedTypedData(typedData: TypedData, challenge: Challenge, relier: Relier): boolean {
  const issued = typedDataOf(challenge, relier);
  const types = { EIP712Domain: issued.types.EIP712Domain, ...typedData.types };
  return sortedJson({ ...typedData, types }) === sortedJson(issued);
}
