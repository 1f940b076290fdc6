import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setAlertRule } from '../src/alerts/rules/use-cases/alert-rules.ts';
import { type AlertScene, observation, openAlertScene } from './alerts-scene.ts';
import { addTo, primary, strategy, vault } from './scene.ts';

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
