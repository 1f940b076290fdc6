import { z } from 'zod';
import { Address, ChainIdParam } from '../primitives.ts';
import { route } from '../route.ts';
import { GetScenarioSet, ScenarioSet, SetScenarioSet } from './scenarios.ts';

const path = '/api/v1/vaults/{chain_id}/{vault_address}/scenarios';
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });
const none = z.strictObject({});

/** The scenarios that people have chosen for a vault. */
export const scenarioSets = {
  /** @example const { shocks, version } = await client.scenarioSet({ params: vault }); */
  scenarioSet: route({
    id: 'scenarioSet',
    method: 'GET',
    path,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: undefined,
    action: GetScenarioSet,
    result: ScenarioSet,
    cache: 'etag',
  }),
  /** @example await client.setScenarioSet({ params: vault, body: { shocks: 'loss:0.5:all,run:5', names: [], replaces: 0 } }); */
  setScenarioSet: route({
    id: 'setScenarioSet',
    method: 'PUT',
    path,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: SetScenarioSet.params.pick({ shocks: true, names: true, replaces: true }),
    action: SetScenarioSet,
    result: ScenarioSet,
  }),
};
