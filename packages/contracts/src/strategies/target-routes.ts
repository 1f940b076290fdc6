import { z } from 'zod';
import { Address, ChainIdParam } from '../primitives.ts';
import { route } from '../route.ts';
import { none } from './route-parts.ts';
import { AllocationTargets, GetAllocationTargets, SetAllocationTargets } from './targets.ts';

const path = '/api/v1/vaults/{chain_id}/{vault_address}/allocation/targets';
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });

/** Targets and caps of the sources of a vault. */
export const targets = {
  /** @example const { sources, idle } = await client.allocationTargets({ params: vault }); */
  allocationTargets: route({
    id: 'allocationTargets',
    method: 'GET',
    path,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: undefined,
    action: GetAllocationTargets,
    result: AllocationTargets,
    cache: 'etag',
  }),
  /**
   * @example
   * const sources = [{ source_address, target_bps: 4000, cap_bps: 4500 }];
   * await client.setAllocationTargets({ params: vault, body: { version: 0, sources } });
   */
  setAllocationTargets: route({
    id: 'setAllocationTargets',
    method: 'PUT',
    path,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: SetAllocationTargets.params.pick({ version: true, sources: true }),
    action: SetAllocationTargets,
    result: AllocationTargets,
  }),
};
