import { z } from 'zod';
import { Address, ChainId } from '../primitives.ts';
import { route } from '../route.ts';
import { type PreparedKind, preparedArgs } from './kinds.ts';
import { PrepareChange, PreparedCall } from './prepared-call.ts';

const none = z.strictObject({});
/** The vault that a change is of, in a body. */
export const vault = { vault_address: Address, chain_id: ChainId };
const truth = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

type Body = { vault_address: string; chain_id: number; [arg: string]: unknown };
type Options<K extends PreparedKind, B extends z.ZodType> = {
  id: string;
  kind: K;
  path: string;
  body: B;
  /** The arguments in the body; by default what is left of it without the vault. */
  args?: (rest: Record<string, unknown>) => unknown;
};

const parts = <K extends PreparedKind, B extends z.ZodType>(options: Options<K, B>) => ({
  id: options.id,
  method: 'POST' as const,
  path: `/api/v1${options.path}`,
  auth: 'bearer' as const,
  rate: 'prepare' as const,
  params: none,
  query: z.strictObject({ force: truth }),
  body: options.body,
  action: PrepareChange,
  toParams: ({
    query,
    body,
  }: {
    query: Readonly<Record<string, unknown>>;
    body: Readonly<Record<string, unknown>>;
  }) => {
    const { chain_id, vault_address, ...rest } = body as Body;
    const args = options.args ? options.args(rest) : rest;
    return { kind: options.kind, chain_id, vault_address, force: query.force, args };
  },
});

/** A change of one transaction. */
export const single = <K extends PreparedKind, B extends z.ZodType>(options: Options<K, B>) =>
  route({
    ...parts(options),
    result: PreparedCall,
    toAnswer: ({ steps }: { steps: unknown[] }) => ({ status: 200, body: steps[0] }),
  });

/** A change that may take several transactions: `{ "steps": [...] }`. */
export const stepped = <K extends PreparedKind, B extends z.ZodType>(options: Options<K, B>) =>
  route({ ...parts(options), result: PrepareChange.result });

/** The body of a change without arguments: its vault. */
export const VaultInBody = z.strictObject(vault);
/** The body of a kind: its vault, and its arguments beside it. */
export const bodyOf = <K extends PreparedKind>(kind: K) =>
  z.strictObject({ ...vault, ...(preparedArgs[kind].shape as (typeof preparedArgs)[K]['shape']) });
