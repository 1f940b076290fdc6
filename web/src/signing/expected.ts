import type { PreparedArgs, PreparedKind } from '@castellan/contracts';
import type { KnownFunction } from './known-calls.ts';

/** Where a change is to happen, as the page knows it without the call. */
export type Place = {
  chainId: number;
  vault: string;
  strategy: string;
  /** What an approval may be given on; absent where the page does not know it. */
  upkeepToken?: string | null;
};

/** A change with what the person entered for it. */
export type Asked = { [K in PreparedKind]: { kind: K; args: PreparedArgs<K> } }[PreparedKind];
export type Intent = Place & Asked;

/** What an argument has to be: `undefined` where the chain takes no notice of it or nothing was entered. */
export type Wanted = string | readonly string[] | { every: string } | undefined;
export type Target = 'strategy' | 'aggregator' | 'token';
export type Expected = { function: KnownFunction; target: Target; args: Readonly<Record<string, Wanted>> };
