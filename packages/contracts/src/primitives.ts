import { getAddress, isAddress } from 'viem/utils';
import { z } from 'zod';

/**
 * An address as a client may send it: 0x and 40 hex digits, all lower or upper case or a correct EIP-55 mix.
 * Parses to its EIP-55 form. EIP-1191 chain checksums are not accepted.
 */
export const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x followed by 40 hexadecimal digits')
  .refine(
    (value) => {
      const digits = value.slice(2);
      return digits === digits.toLowerCase() || digits === digits.toUpperCase() || isAddress(value, { strict: true });
    },
    { message: 'mixed-case address fails its EIP-55 checksum; send it in lower case or correct it' },
  )
  .transform((value) => getAddress(value.toLowerCase() as `0x${string}`) as string);

/** An address in an answer: EIP-55. */
export const Eip55 = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** A chain id inside a path or query: decimal digits only, no sign, exponent or leading zero. */
export const ChainIdParam = z
  .string()
  .regex(/^[1-9][0-9]{0,15}$/, 'must be a decimal chain id such as 1 or 31337')
  .transform(Number)
  .refine(Number.isSafeInteger, { message: 'is larger than any chain id' });

/** A chain id in JSON. */
export const ChainId = z.int().positive();

/** A non-negative on-chain integer as a decimal string. */
export const UintString = z
  .string()
  .regex(/^(0|[1-9][0-9]*)$/, 'must be a decimal integer without sign or leading zero');

/** A signed on-chain integer as a decimal string. */
export const IntString = z.string().regex(/^(0|-?[1-9][0-9]*)$/, 'must be a decimal integer');

/** A transaction hash as a client sends it; parses to lower case. */
export const TxHash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x followed by 64 hexadecimal digits')
  .transform((value) => value.toLowerCase());
/** 32 bytes in lower-case hexadecimal. */
export const Hash = z.string().regex(/^0x[0-9a-f]{64}$/);
/** Whole bytes in hexadecimal, `0x` for none. */
export const HexData = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);
/** ISO 8601 in UTC. */
export const IsoTime = z.iso.datetime();
/** A duration in whole seconds. */
export const Seconds = z.int().nonnegative();
/** Hundredths of a percent. */
export const Bps = z.int();

/** Page size of a list: 1..500, as a query string. */
export const LimitParam = z
  .string()
  .regex(/^[1-9][0-9]{0,2}$/, 'must be 1 to 500')
  .transform(Number)
  .refine((value) => value <= 500, { message: 'must be 1 to 500' });

/** `next_cursor` of the page before, as a query string; one that the list did not return is CURSOR_INVALID, an empty one too. */
export const CursorParam = z.string().max(500);

/** A vault as services name it to each other. */
export const VaultRef = z.strictObject({ chain_id: ChainId, vault_address: Address });
export type VaultRef = z.output<typeof VaultRef>;

/** Vaults in a query: `chain:address,chain:address`, at most 100. */
export const VaultListParam = z
  .string()
  .min(1, 'must be chain:address,chain:address')
  .transform((text) =>
    text.split(',').map((item) => {
      const [chain_id, vault_address, ...rest] = item.split(':');
      return { chain_id, vault_address, rest };
    }),
  )
  .pipe(
    z
      .array(z.object({ chain_id: ChainIdParam, vault_address: Address, rest: z.array(z.never()) }))
      .min(1)
      .max(100),
  )
  .transform((items) => items.map(({ chain_id, vault_address }) => ({ chain_id, vault_address })));

/**
 * One picture of several, as a family is: emoji with the zero-width joiner between them, each with the colour of its skin or the
 * selector of its picture. A joiner anywhere else shows nothing, and is none of these.
 */
export const joinedEmoji =
  /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{fe0f})?(?:\u{200d}\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{fe0f})?)+/gu;

/**
 * A name a person chose: NFC, 1 to 64 visible characters, no control, format, bidi or unassigned code points.
 * Surrounding space is removed first.
 */
export const DisplayName = z
  .string()
  .max(400, 'must be 1 to 64 characters')
  .transform((value) => value.normalize('NFC').trim())
  .refine((value) => value.length > 0 && [...value].length <= 64, { message: 'must be 1 to 64 characters' })
  .refine((value) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(value), {
    message: 'must not hold control, invisible or text-direction characters',
  })
  .refine((value) => /[\p{L}\p{N}\p{S}\p{P}]/u.test(value), { message: 'must hold a visible character' });

/** A wallet, with the name a person gave it; null without one. */
export const NamedWallet = z.object({ wallet_address: Eip55, display_name: z.string().nullable() });

/** Fees of a vault in hundredths of a percent, and the address that they go to. */
export const FeeConfig = z.object({
  /** Of gains above the high-water mark, in hundredths of a percent. */
  performance_fee_bps: Bps,
  /** The entry fee, taken of each deposit, in hundredths of a percent; not a yearly fee. */
  management_fee_bps: Bps,
  recipient: Eip55,
});
/** Whether the governor vetoed the hooks root of all vaults, and that of the vault's strategy. */
export const HooksVeto = z.object({ global: z.boolean(), strategy: z.boolean() });
/** A call by the names of its function and arguments. */
export const DecodedCall = z.object({ function: z.string(), args: z.record(z.string(), z.unknown()) });
/** A transaction to send: `value` in wei. */
export const TransactionRequest = z.object({ to: Eip55, data: HexData, value: UintString });

/** What a wallet may be to a vault, from most to least. */
export const roles = ['primary_manager', 'secondary_manager', 'view_only'] as const;
/** One of `roles`. */
export const Role = z.enum(roles);
export type Role = z.infer<typeof Role>;

/** A list answer: items under their plural name, with what a pager needs. */
export const listOf = <K extends string, T extends z.ZodType>(plural: K, item: T) =>
  z.object({
    [plural]: z.array(item),
    total: z.int().nonnegative(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  } as { [P in K]: z.ZodArray<T> } & {
    total: z.ZodInt;
    has_more: z.ZodBoolean;
    next_cursor: z.ZodNullable<z.ZodString>;
  });
