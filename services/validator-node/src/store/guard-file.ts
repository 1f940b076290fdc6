import { type Address, getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { GuardContent, StoreError } from './documents.ts';
import type { SignedSoFar } from './guard.ts';

const GuardFile = GuardContent.extend({
  format: z.literal('castellan/sign-guard'),
  version: z.literal(1),
  signer: z.string().refine((value) => isAddress(value)),
});

/** What moves with a key to another host, as text. */
export function writeGuardFile(signer: Address, { rounds, entries }: SignedSoFar): string {
  const file = { format: 'castellan/sign-guard', version: 1, signer: getAddress(signer), rounds, entries };
  return `${JSON.stringify(file, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2)}\n`;
}

/** @throws StoreError `corrupt` for anything but the guard of this signer. */
export function readGuardFile(text: string, signer: Address): SignedSoFar {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new StoreError('corrupt', 'The sign guard is not JSON.');
  }
  const parsed = GuardFile.safeParse(json);
  if (!parsed.success) throw new StoreError('corrupt', 'This is no sign guard of version 1.');
  if (getAddress(parsed.data.signer) !== getAddress(signer))
    throw new StoreError('corrupt', `This is the sign guard of ${parsed.data.signer}, not of ${signer}.`);
  const { rounds, entries } = parsed.data;
  return { rounds, entries };
}
