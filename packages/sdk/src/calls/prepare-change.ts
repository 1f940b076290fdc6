import type { PreparedCall } from '@castellan/contracts';
import type { Operations } from '../types.ts';
import { changes } from './changes.ts';
import type { Asked, Intent } from './expected.ts';

type Prepare = (input: { body: unknown }) => Promise<PreparedCall | { steps: PreparedCall[] }>;

/** Asks for the calls that carry out a change, in the order they are to be sent. */
export async function prepareChange(
  client: Operations,
  { kind, args, chainId, vault }: Intent,
): Promise<PreparedCall[]> {
  const prepare = client[changes[kind].method] as Prepare;
  const answer = await prepare({ body: { vault_address: vault, chain_id: chainId, ...args } });
  return 'steps' in answer ? answer.steps : [answer];
}

/** A change with the contracts of its vault, as the API names them. Who knows the strategy's address from elsewhere gives that one. */
export async function intentOf(
  client: Operations,
  { chain_id, vault_address }: { chain_id: number; vault_address: string },
  asked: Asked,
): Promise<Intent> {
  const vault = await client.vault({ params: { chain_id: String(chain_id), vault_address } });
  return {
    chainId: chain_id,
    vault: vault_address,
    strategy: vault.strategy_address,
    upkeepToken: vault.upkeep_info.token,
    asset: vault.asset.address,
    ...asked,
  };
}
