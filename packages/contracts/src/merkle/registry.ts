import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, IsoTime, listOf } from '../primitives.ts';

/** What a hook does with the vault's assets, or with rewards that it can claim. */
export const hookTypes = ['DEPOSIT', 'WITHDRAWAL', 'REBALANCE', 'CLAIM', 'SWAP'] as const;
/** One of `hookTypes`. */
export const HookType = z.enum(hookTypes);

/**
 * What a parameter stands for: a source of the vault's list, a token, an oracle of the vault's sources, or anything else.
 */
export const hookRefTypes = ['yield_source', 'token', 'oracle', 'others'] as const;
/** One of `hookRefTypes`. */
export const HookRefType = z.enum(hookRefTypes);

const isUint = (bits: number) => bits >= 8 && bits <= 256 && bits % 8 === 0;
/** Types of a fixed size, which hooks pack tightly. */
export const SolidityType = z
  .string()
  .refine(
    (type) =>
      type === 'address' ||
      type === 'bool' ||
      /^bytes([1-9]|[12]\d|3[0-2])$/.test(type) ||
      isUint(Number(/^uint([1-9]\d{0,2})$/.exec(type)?.[1] ?? 0)),
    { message: 'must be address, bool, uint8 to uint256 or bytes1 to bytes32' },
  );

const FieldName = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be a name in snake_case of at most 32 characters');

/** One value that a leaf of the hook pins; `param_order` is its place in what the hook's `inspect` returns. */
export const InspectParam = z.strictObject({
  name: FieldName,
  solidity_type: SolidityType,
  ref_type: HookRefType,
  param_order: z.int().min(0).max(15),
});

/** One field of the hook's calldata, in its order. A field that no parameter is named after is left zero. */
export const CalldataField = z.strictObject({ name: FieldName, solidity_type: SolidityType });

const isUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

const hookFields = {
  name: z.string().trim().min(1).max(80),
  hook_type: HookType,
  /** One on each chain. */
  addresses: z
    .array(z.strictObject({ chain_id: ChainId, address: Address }))
    .min(1)
    .max(50)
    .refine((items) => isUnique(items.map(({ chain_id }) => chain_id)), { message: 'must name each chain once' }),
  inspect_params: z
    .array(InspectParam)
    .min(1)
    .max(16)
    .refine((items) => isUnique(items.map(({ name }) => name)), { message: 'must name each parameter once' })
    .refine((items) => isUnique(items.map(({ param_order }) => param_order)), {
      message: 'must give each parameter a place of its own',
    }),
  calldata: z
    .array(CalldataField)
    .min(1)
    .max(32)
    .refine((items) => isUnique(items.map(({ name }) => name)), { message: 'must name each field once' }),
  is_active: z.boolean().default(true),
};

type Shape = {
  inspect_params: readonly z.output<typeof InspectParam>[];
  calldata: readonly z.output<typeof CalldataField>[];
};
const everyParamHasItsField = ({ inspect_params, calldata }: Shape): boolean =>
  inspect_params.every((param) =>
    calldata.some(({ name, solidity_type }) => name === param.name && solidity_type === param.solidity_type),
  );
const fieldless = {
  path: ['inspect_params'],
  message: 'must each be a field of `calldata` of the same name and type',
};

/** A hook as a registry maintainer writes it. */
export const HookDraft = z.strictObject(hookFields).refine(everyParamHasItsField, fieldless);

/** A hook that configurations can use. `version` grows with each change. */
export const RegistryHook = z.object({
  id: z.string(),
  version: z.int().positive(),
  name: z.string(),
  hook_type: HookType,
  addresses: z.array(z.object({ chain_id: ChainId, address: Eip55 })),
  inspect_params: z.array(InspectParam),
  calldata: z.array(CalldataField),
  is_active: z.boolean(),
  created_at: IsoTime,
  updated_at: IsoTime,
});
export type RegistryHook = z.infer<typeof RegistryHook>;

/** Hooks of the registry by name; anybody who is signed in. */
export const ListHooks = action('v1.merkle.hooks', {
  callers: { user: 'read' },
  params: z.strictObject({
    chain_id: ChainId.optional(),
    is_active: z.boolean().optional(),
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('hooks', RegistryHook),
});

/** Writes of the registry are for the wallets that the operator named as its maintainers. */
export const CreateHook = action('v1.merkle.createHook', {
  callers: { user: 'full' },
  params: HookDraft,
  result: RegistryHook,
});

/**
 * Replaces a hook of the registry; versions that use it stay as they are. @throws AppError HOOK_NOT_FOUND,
 * VERSION_CONFLICT.
 */
export const UpdateHook = action('v1.merkle.updateHook', {
  callers: { user: 'full' },
  params: z
    .strictObject({ ...hookFields, id: z.string().max(100), version: z.int().positive() })
    .refine(everyParamHasItsField, fieldless),
  result: RegistryHook,
});

/** Configurations that use the hook keep what they need of it. */
export const DeleteHook = action('v1.merkle.deleteHook', {
  callers: { user: 'full' },
  params: z.strictObject({ id: z.string().max(100) }),
  result: z.null(),
});

/** Body of a new hook. */
export const hookBody = z.strictObject(hookFields);
/** Body of a changed hook; `version` is the one it replaces. */
export const hookUpdateBody = z.strictObject({ ...hookFields, version: z.int().positive() });
