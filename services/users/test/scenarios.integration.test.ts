import { describe, expect, test } from '@jest/globals';
import { openScenarioSets } from '../src/scenarios/models/collections.ts';
import { getScenarioSet, setScenarioSet } from '../src/scenarios/use-cases/scenario-set.ts';
import { call, deps, openForEachTest, owner, rows, scene } from './mandate-scene.ts';
import { secondary, stranger, vault, vault_address, viewer } from './scene.ts';

/** The shocks of the risk table, which are kept for each vault. */

openForEachTest();

describe('scenarios of the risk table', () => {
  const set = () => ({ ...deps(), scenarios: openScenarioSets(scene.mongo) });
  const choice = {
    ...vault,
    shocks: 'loss:0.5:all,run:5',
    names: [{ source_address: vault_address, protocol: 'Aave' }],
  };

  test('default: the usual ones until a manager chooses others, which is a row of the audit log', async () => {
    const before = await getScenarioSet(set())(vault, call(viewer));
    expect(before).toMatchObject({ version: 0, names: [], changed_by: null });
    const chosen = await setScenarioSet(set())({ ...choice, replaces: 0 }, call(secondary));
    expect(chosen).toMatchObject({ shocks: 'loss:0.5:all,run:5', version: 1, changed_by: secondary });
    expect(await getScenarioSet(set())(vault, call(viewer))).toEqual(chosen);
    await setScenarioSet(set())({ ...choice, shocks: 'gas:2', replaces: 1 }, call(owner.address));
    expect(await rows()).toEqual(['scenarios_changed', 'scenarios_changed']);
  });

  test('error: of two at once one is kept, and one who knew another version is refused', async () => {
    const choose = (replaces: number) => setScenarioSet(set())({ ...choice, replaces }, call(secondary));
    const done = await Promise.allSettled([choose(0), choose(0)]);
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const known of [0, 7]) await expect(choose(known)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(await rows()).toEqual(['scenarios_changed']);
  });

  test('error: viewers choose nothing, and strangers see nothing', async () => {
    await expect(setScenarioSet(set())({ ...choice, replaces: 0 }, call(viewer))).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
    await expect(getScenarioSet(set())(vault, call(stranger))).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });
});
