import type { PreparedCall } from '@castellan/contracts';
import type { Api } from '../client/api.ts';
import { changes } from './changes.ts';
import type { Intent } from './expected.ts';

type Prepare = (input: { body: unknown }) => Promise<PreparedCall | { steps: PreparedCall[] }>;

/** Asks for the calls that carry out a change, in the order they are to be sent. */
export async function prepareChange(api: Api, { kind, args, chainId, vault }: Intent): Promise<PreparedCall[]> {
  const prepare = api[changes[kind].method] as Prepare;
  const answer = await prepare({ body: { vault_address: vault, chain_id: chainId, ...args } });
  return 'steps' in answer ? answer.steps : [answer];
}
