import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { recordRecovered, recordStale } from '../src/alerts/evaluator/signals.ts';
import { setAlertRule } from '../src/alerts/rules/use-cases/alert-rules.ts';
import { type AlertScene, observation, openAlertScene } from './alerts-scene.ts';
import { addTo, chain_id, primary, rollBack, strategy, vault, vault_address, viewer } from './scene.ts';

/** Alerts while what they are about is changed: rules that are switched, and a network, a deployment and vaults that come and go. */

let store: TestStore;
let scene: AlertScene;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  scene = await openAlertScene(store);
});
afterEach(() => scene.mongo.close());

const happens = (after: number, name: string, args: Record<string, unknown> = {}) =>
  addTo(scene.fake, after, { name, args: { strategy, ...args }, from: primary });
const sent = async () =>
  (await scene.alerts.events.find({}).sort({ sequence: 1 }).toArray()).map(
    ({ event_type, data }) => `${event_type} ${data.alert?.rule_id} ${data.alert?.subject}`,
  );

/** A vault that is watched and well. */
async function watched() {
  scene.created();
  addTo(scene.fake, 0, observation());
  const evaluator = scene.evaluator();
  await scene.settle(evaluator);
  return evaluator;
}

/** Chain time and the server's go on, and the evaluator judges. */
async function pass(evaluator: Awaited<ReturnType<typeof watched>>, seconds: number) {
  scene.world.now += seconds * 1000;
  scene.world.indexedTime = new Date(scene.world.now).toISOString();
  // What is read in one step is judged by time in the next.
  for (let steps = 0; steps < 2; steps += 1) await scene.settle(evaluator);
}

describe('a rule of the catalogue', () => {
  const switchTo = (enabled: boolean, version: number) =>
    setAlertRule({ ...scene, now: () => new Date(scene.world.now) })(
      { ...vault, rule_id: 'vault_paused', version, enabled },
      scene.call(primary),
    );

  test('default: switched off it resolves what is open, switched on it alerts of what still holds', async () => {
    const evaluator = await watched();
    happens(100, 'StrategyPaused');
    await scene.settle(evaluator);
    await switchTo(false, 0);
    await scene.settle(evaluator);
    await switchTo(true, 1);
    await scene.settle(evaluator);
    expect(await sent()).toEqual([
      'alert.opened vault_paused vault',
      'alert.resolved vault_paused vault',
      'alert.opened vault_paused vault',
    ]);
    const alerts = await scene.alerts.alerts.find({}).toArray();
    expect(alerts.map(({ status }) => status)).toEqual(['resolved', 'active']);
  });
});

describe('what goes for good', () => {
  const lasting = async (rule_id: string) =>
    (await scene.alerts.alerts.find({ rule_id }).toArray()).map(({ subject, status }) => `${subject} ${status}`);

  test('behavior: the recovery of a validator counts in whatever place of the network it has by then', async () => {
    const evaluator = await watched();
    const member = (index: number, node_id: string) => ({ index, node_id, status: 'ok', transmitter_address: viewer });
    const said = (id: string, node_index: number | null) =>
      ({ id, chain_id, strategy_address: strategy, node_id: 'oracle-b', node_index }) as never;
    scene.world.nodes = [member(0, 'oracle-a'), member(1, 'oracle-b')];
    await recordStale(scene)(said('n1', 1));
    await pass(evaluator, 60);
    await pass(evaluator, 120);
    expect(await lasting('node_price_stale')).toEqual(['node:1 active']);
    await recordRecovered(scene)(said('n2', null));
    await pass(evaluator, 60);
    await pass(evaluator, 120);
    expect(await lasting('node_price_stale')).toEqual(['node:1 resolved']);
  });

  test('behavior: a service that was retired is missed for a day, by the clock of the server, and one of the release for as long as it is away', async () => {
    const evaluator = await watched();
    scene.world.services = ['vaults', 'keeper', 'executor'];
    await pass(evaluator, 60);
    scene.world.services = ['vaults'];
    await pass(evaluator, 60);
    await pass(evaluator, 86_340);
    const both = async () => (await lasting('service_down')).sort();
    expect(await both()).toEqual(['service:executor active', 'service:keeper active']);
    await pass(evaluator, 60);
    await pass(evaluator, 120);
    expect(await both()).toEqual(['service:executor resolved', 'service:keeper active']);
  });
});

describe('a veto of the global hooks root', () => {
  const veto = (block: number, vetoed: boolean) =>
    addTo(scene.fake, block, { name: 'GlobalHooksRootVetoStatusChanged', vault_address: null, args: { vetoed } });
  const deploy = (block: number) =>
    addTo(scene.fake, block, {
      name: 'VaultDeployed',
      args: { vault: vault_address, strategy, name: 'USDC Core' },
      from: primary,
    });
  const opened = async () =>
    (await scene.alerts.alerts.find({}).toArray()).map(({ rule_id, status }) => `${rule_id} ${status}`);
  const settled = async () => {
    const evaluator = scene.evaluator();
    await scene.settle(evaluator);
    return evaluator;
  };

  describe.each([1, 2, 1_000])('with %i entries of the log in a page', (page) => {
    beforeEach(() => {
      scene.fake.page = page;
    });

    test('default: is known to a vault that is deployed under it, and is over for it as for any other', async () => {
      veto(1, true);
      deploy(50);
      const evaluator = await settled();
      expect(await sent()).toEqual(['alert.opened strategy_vetoed root:global']);
      veto(60, false);
      await scene.settle(evaluator);
      expect(await opened()).toEqual(['strategy_vetoed resolved']);
    });

    test('behavior: one that was lifted before is none, not for a moment either', async () => {
      veto(1, true);
      veto(2, false);
      deploy(3);
      await settled();
      expect(await opened()).toEqual([]);
    });

    test('behavior: of the block of the deployment, what came after it counts as well', async () => {
      veto(3, true);
      deploy(3);
      veto(3, false);
      await settled();
      expect(await opened()).toEqual(['strategy_vetoed resolved']);
    });

    test('behavior: one that was taken back is none, one that was made again is', async () => {
      veto(1, true);
      deploy(2);
      const evaluator = await settled();
      rollBack(scene.fake, 1);
      deploy(2);
      await scene.settle(evaluator);
      expect(await opened()).toEqual(['strategy_vetoed resolved']);
      rollBack(scene.fake, 1);
      veto(1, true);
      deploy(2);
      await scene.settle(evaluator);
      expect(await opened()).toEqual(['strategy_vetoed resolved', 'strategy_vetoed active']);
    });
  });

  test('behavior: where none were kept, they are read again from the log, and the vaults that are watched learn of it', async () => {
    deploy(1);
    const evaluator = await settled();
    await evaluator.stop();
    veto(2, true);
    const { entries } = scene.fake;
    const clock = { after_seq: entries.length, time: Date.UTC(2026, 0, 1) / 1000 + 2 };
    await scene.alerts.clocks.updateOne({ chain_id }, { $set: clock, $unset: { vetoes: '' } });
    await scene.mongo.collection('leases').deleteMany({});
    await settled();
    expect(await sent()).toEqual(['alert.opened strategy_vetoed root:global']);
    expect((await scene.alerts.clocks.findOne({ chain_id }))?.vetoes?.list).toMatchObject([{ block: 2, on: true }]);
  });
});
