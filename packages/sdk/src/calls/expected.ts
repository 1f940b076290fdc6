import type { PreparedArgs, PreparedKind } from '@castellan/contracts';
import type { Operations } from '../types.ts';
import type { KnownFunction } from './known-calls.ts';

/** Where a change is to happen, as the caller knows it without the call. */
export type Place = {
  chainId: number;
  vault: string;
  strategy: string;
  /** What an approval may be given on; absent where the caller does not know it. */
  upkeepToken?: string | null;
  /** The asset of the vault, the only token that a deposit may approve; absent where the caller does not know it. */
  asset?: string;
  /** The wallet that asks, which a call of a position must be of; absent where the caller does not know it. */
  wallet?: string;
};

/** A change with what was asked for. */
export type Asked = { [K in PreparedKind]: { kind: K; args: PreparedArgs<K> } }[PreparedKind];
/** A change of one vault. */
export type Intent = Place & Asked;

/** What an argument has to be: `undefined` where the chain takes no notice of it or nothing was entered. */
export type Wanted = string | readonly string[] | { every: string } | { the: 'vault' | 'signer' } | undefined;
/** Which contract a call goes to. */
export type Target = 'strategy' | 'aggregator' | 'vault' | 'upkeep_token' | 'asset';
/** What the bytes of a call have to be. */
export type Expected = { function: KnownFunction; target: Target; args: Readonly<Record<string, Wanted>> };

/** A change that can be prepared. */
export type Change<K extends PreparedKind> = {
  /** What a list of calls names it. */
  title: string;
  /** The operation that prepares it. */
  method: keyof Operations;
  /** The calls it is made of. Without arguments, what every such change has in common. */
  calls: (strategy: string, args: PreparedArgs<K> | undefined) => readonly Expected[];
};
