import type { PreparedArgs } from '@castellan/contracts';
import type { Api } from '../client/api.ts';

export type Listing = Awaited<ReturnType<Api['yieldSources']>>;
export type Source = Listing['yield_sources'][number];

type Kind = 'add_yield_sources' | 'update_yield_source_oracles' | 'remove_yield_sources';
/** A change of the list, as it is prepared. */
export type SourceChange = { [K in Kind]: { kind: K; args: PreparedArgs<K> } }[Kind];

const changeTitles: Record<Kind, [one: string, many: string]> = {
  add_yield_sources: ['Add a yield source', 'Add yield sources'],
  update_yield_source_oracles: ['Change the oracle of a yield source', 'Change the oracles of yield sources'],
  remove_yield_sources: ['Remove a yield source', 'Remove yield sources'],
};
export const titleOf = ({ kind, args }: SourceChange): string => changeTitles[kind][args.sources.length === 1 ? 0 : 1];
