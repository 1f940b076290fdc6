import type { PreparedArgs, PreparedKind } from '@castellan/contracts';
import type { KnownFunction } from './known-calls.ts';

/** Where a change is to happen, as the caller knows it without the call. */
export type Place = {
  chainId: number;
  vault: string;
  strategy: string;
  /** What an approval may be given on; absent where the caller does not know it. */
  upkeepToken?: string | null;
};

/** A change with what was asked for. */
export type Asked = { [K in PreparedKind]: { kind: K; args: PreparedArgs<K> } }[PreparedKind];
/** A change of one vault. */
export type Intent = Place & Asked;

/** What an argument has to be: `undefined` where the chain takes no notice of it or nothing was entered. */
export type Wanted = string | readonly string[] | { every: string } | undefined;
/** Which contract a call goes to. */
export type Target = 'strategy' | 'aggregator' | 'token';
/** What the bytes of a call have to be. */
export type Expected = { function: KnownFunction; target: Target; args: Readonly<Record<string, Wanted>> };
