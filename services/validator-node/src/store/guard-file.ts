import { type Address, getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { GuardContent, StoreError } from './documents.ts';
import type { SignedSoFar } from './guard.ts';

const CommonFields = GuardContent.extend({
  format: z.literal('castellan/sign-guard'),
  signer: z.string().refine((value) => isAddress(value)),
});

/** Version 2 is of a signer that has yet to wait out an epoch: a program that knows version 1 only would let it sign at once. */
const GuardFile = z.discriminatedUnion('version', [
  CommonFields.extend({ version: z.literal(1) }),
  CommonFields.extend({ version: z.literal(2), recovering: z.literal(true) }),
]);

/** What moves with a key to another host, as text. */
export function writeGuardFile(signer: Address, { rounds, entries, recovering }: SignedSoFar): string {
  const kind = recovering ? { version: 2, recovering } : { version: 1 };
  const file = { format: 'castellan/sign-guard', ...kind, signer: getAddress(signer), rounds, entries };
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
  if (!parsed.success) throw new StoreError('corrupt', 'This is no sign guard of version 1 or 2.');
  if (getAddress(parsed.data.signer) !== getAddress(signer))
    throw new StoreError('corrupt', `This is the sign guard of ${parsed.data.signer}, not of ${signer}.`);
  const { rounds, entries, version } = parsed.data;
  return { rounds, entries, ...(version === 2 && { recovering: true }) };
}
