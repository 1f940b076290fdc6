import { type Hex, isHex } from 'viem';
import { z } from 'zod';

const HexText = z.custom<Hex>((value) => isHex(value), 'must be hexadecimal');
const Digest = HexText.refine((value) => value.length === 66);
const Decimal = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);
const Counter = z.int().nonnegative();

export const PacemakerDocument = z.strictObject({
  _id: Digest,
  epoch: Counter,
  highest_wish: Counter,
  wishes: z.array(Counter).max(31),
});

export const GuardContent = z.object({
  rounds: z.record(Digest, z.strictObject({ epoch: Counter, round: Counter })),
  entries: z.record(z.string().regex(/^\d+:0x[0-9a-f]{40}$/), z.strictObject({ nonce: Decimal, timestamp: Decimal })),
});
/** `revision` makes read, judge and write one step; `token` is the lease of the last writer. */
export const GuardDocument = GuardContent.extend({
  _id: z.string(),
  revision: Counter,
  token: Counter,
  recovering: z.boolean().optional(),
});

const StatementDocument = z.strictObject({
  epoch: Counter,
  round: Counter,
  inputs: HexText,
  observers: z.array(Counter).max(31),
  report: HexText,
  signature: HexText,
  attestation: HexText,
});
export const EvidenceDocument = z.strictObject({
  _id: z.string(),
  digest: Digest,
  kind: z.enum(['report', 'price']),
  oracle: Counter,
  signer: z.string(),
  first: StatementDocument,
  second: StatementDocument,
});

export const PendingDocument = z.strictObject({
  _id: z.string(),
  digest: Digest,
  epoch: Counter,
  round: Counter,
  report: HexText,
  signatures: z.array(z.strictObject({ signer: Counter, signature: HexText })).max(31),
  due_at: z.number(),
  accepted_at: z.number(),
});

export const SessionDocument = z.strictObject({ _id: z.string(), number: Decimal });

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: 'corrupt';

  constructor(fault: 'corrupt', message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * Parses what the store holds. A document that is not ours must not be guessed at: the node would sign on what it guessed.
 * @throws StoreError `corrupt` naming the document.
 */
export function understood<T extends z.ZodType>(schema: T, document: unknown, what: string): z.output<T> {
  const parsed = schema.safeParse(document);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.map(({ path }) => path.join('.') || '(whole)').join(', ');
  throw new StoreError(
    'corrupt',
    `${what} in the document store is damaged or of another program (${places}). Restore it from a backup; do not delete it.`,
  );
}
