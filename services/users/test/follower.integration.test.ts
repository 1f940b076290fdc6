import { onStoreCommand } from '@castellan/service-kit';
import { startTestStore, type TestStore, until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { AuditLog } from '../src/audit/adapters/audit-log.mongo.ts';
import { verifyAuditChain } from '../src/audit/domain/audit-chain.ts';
import { verifyVaultChain } from '../src/audit/domain/vault-chain.ts';
import { listTimeline } from '../src/audit/use-cases/read-timeline.ts';
import {
  addTo,
  callOf,
  chain_id,
  openScene,
  otherVault,
  primary,
  rollBack,
  type Scene,
  secondary,
  strategy,
  vault,
  vault_address,
  viewer,
} from './scene.ts';

let store: TestStore;
let scene: Scene;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  scene = await openScene(store);
});
afterEach(() => scene.mongo.close());

const added = (from = primary) => ({ name: 'SecondaryManagerAdded', args: { strategy, manager: viewer }, from });
const rows = () => scene.storedRows();
const actors = async () => (await rows()).map(({ id, actor_wallet }) => [id, actor_wallet]);

describe('rows of changes on chain', () => {
  test('default: a change with its sender, block and arguments; routine is left out', async () => {
    const { fake } = scene;
    addTo(fake, 5, { name: 'PPSUpdated', args: { strategy, pps: '1' } });
    const entry = addTo(fake, 5, added());
    addTo(fake, 5, { name: 'UpkeepSpent', args: { strategy } });
    fake.indexed = 5;
    expect(await scene.follower().step(chain_id)).toBe('rest');
    expect(await rows()).toEqual([
      expect.objectContaining({
        id: `chain:${chain_id}:2`,
        timestamp: entry.block_time,
        category: 'role',
        action_type: 'secondary_manager_added',
        ...vault,
        actor_wallet: primary,
        details: { strategy, manager: viewer, block_number: 5, block_hash: entry.block_hash, log_index: 1 },
        tx_hash: entry.tx_hash,
        request_id: null,
        vault_seq: 1,
      }),
    ]);
  });

  test('behavior: a sender the log does not know is taken from the event, or stays unknown', async () => {
    const { fake } = scene;
    addTo(fake, 5, { name: 'UpkeepDeposited', args: { strategy, depositor: secondary } });
    addTo(fake, 5, { name: 'StrategyPaused', args: { strategy } });
    addTo(fake, 6, { name: 'PPSUpdated', args: { strategy } });
    fake.indexed = 6;
    await scene.follower().step(chain_id);
    expect((await rows()).map(({ actor_wallet }) => actor_wallet)).toEqual([secondary, null]);
  });

  test('behavior: a validator set is of no vault; a strategy that is not served makes no row', async () => {
    const { fake } = scene;
    const governor = { contract: 'governor', vault_address: null } as const;
    addTo(fake, 5, { name: 'ValidatorConfigSet', ...governor, args: { validators: [primary], quorum: '1' } });
    addTo(fake, 5, { name: 'StrategyPaused', vault_address: null, args: { strategy: otherVault } });
    fake.indexed = 5;
    await scene.follower().step(chain_id);
    expect(await rows()).toEqual([
      expect.objectContaining({
        action_type: 'validator_config_set',
        category: 'node',
        vault_address: null,
        vault_seq: null,
      }),
    ]);
  });

  test('behavior: a block waits until all of it is there, over pages too', async () => {
    const { fake } = scene;
    fake.page = 1;
    addTo(fake, 5, { ...added(), tx_hash: `0x${'1'.repeat(64)}` });
    fake.indexed = 4;
    const follower = scene.follower();
    expect(await follower.step(chain_id)).toBe('closing');
    expect(await rows()).toEqual([]);
    fake.indexed = 5;
    expect(await follower.step(chain_id)).toBe('rest');
    expect(await actors()).toEqual([[`chain:${chain_id}:1`, primary]]);
  });

  test('behavior: an answer that names a block as indexed before its sender came is not believed', async () => {
    const { fake } = scene;
    const { from: _later, ...event } = added();
    const entry = addTo(fake, 5, event);
    fake.indexed = 9;
    const follower = scene.follower();
    expect(await follower.step(chain_id)).toBe('closing');
    const args = { from: primary };
    addTo(fake, 5, { kind: 'observation', name: 'transaction_observed', tx_hash: entry.tx_hash, args });
    await follower.step(chain_id);
    expect(await actors()).toEqual([[`chain:${chain_id}:1`, primary]]);
  });

  test('behavior: killed anywhere between row and cursor, no row is missing or twice', async () => {
    const { fake } = scene;
    for (const block of [5, 6, 7]) addTo(fake, block, added());
    rollBack(fake, 7);
    for (const block of [7, 8]) addTo(fake, block, added());
    fake.indexed = 8;
    for (let survives = 0; survives < 7; survives += 1) {
      let left = survives;
      const dying = new AuditLog(scene.collections);
      dying.append = (row) => (left-- > 0 ? scene.auditLog.append(row) : Promise.reject(new Error('killed')));
      const outcome = scene
        .follower(dying)
        .step(chain_id)
        .then(
          () => 'lived',
          () => 'killed',
        );
      expect(await outcome).toBe(survives < 6 ? 'killed' : 'lived');
      // It would be given up only by an orderly end.
      await scene.mongo.collection('leases').deleteMany({});
    }
    await scene.collections.cursors.deleteMany({});
    await scene.follower().step(chain_id);
    const all = await rows();
    expect(all.map(({ id }) => id)).toEqual(
      ['1', '3', '5', `7:${vault_address.toLowerCase()}`, '8', '10'].map((place) => `chain:${chain_id}:${place}`),
    );
    expect(verifyAuditChain(all)).toEqual({ ok: true, rows: 6 });
  });

  test('behavior: its place in the log is read once, and again after a step that failed', async () => {
    const { fake } = scene;
    const asked: unknown[] = [];
    onStoreCommand(scene.mongo, ({ command }) => asked.push(command.find));
    const placesRead = () => asked.filter((collection) => collection === 'log_cursors').length;
    const failing = new AuditLog(scene.collections);
    const follower = scene.follower(failing);
    for (const block of [5, 6]) {
      addTo(fake, block, added());
      fake.indexed = block;
      await follower.step(chain_id);
    }
    expect(placesRead()).toBe(1);
    const append = jest.spyOn(failing, 'append').mockRejectedValueOnce(new Error('away'));
    addTo(fake, 7, added());
    fake.indexed = 7;
    await expect(follower.step(chain_id)).rejects.toThrow('away');
    append.mockRestore();
    await follower.step(chain_id);
    expect(placesRead()).toBe(2);
    expect(await rows()).toHaveLength(3);
  });

  test('behavior: one process follows at a time', async () => {
    const { fake } = scene;
    addTo(fake, 5, added());
    fake.indexed = 5;
    const [one, two] = [scene.follower(), scene.follower()];
    await one.step(chain_id);
    const reads = fake.reads.length;
    expect(await two.step(chain_id)).toBe('rest');
    expect(fake.reads).toHaveLength(reads);
  });

  test('behavior: runs by itself, woken or not, and gives its lease up', async () => {
    const { fake } = scene;
    addTo(fake, 5, added());
    fake.indexed = 5;
    const follower = scene.follower();
    follower.start();
    await until('the row of the first change', async () => (await rows()).length === 1);
    addTo(fake, 6, added());
    fake.indexed = 6;
    follower.wake();
    await until('the row of the second', async () => (await rows()).length === 2);
    await follower.stop();
    addTo(fake, 7, added());
    fake.indexed = 7;
    await scene.follower().step(chain_id);
    expect(await rows()).toHaveLength(3);
  });

  test('behavior: ninety days of two vaults with others writing meanwhile leave whole chains', async () => {
    const { fake } = scene;
    for (let block = 1; block <= 3000; block += 1) {
      addTo(fake, block, { name: 'PPSUpdated', args: { strategy } });
      if (block % 60 === 0)
        addTo(fake, block, { ...added(), vault_address: block % 120 === 0 ? otherVault : vault_address });
    }
    fake.indexed = 3000;
    const {
      seq: _seq,
      hash: _hash,
      prev_hash: _prev,
      vault_seq: _place,
      vault_prev_hash: _vault,
      ...content
    } = await anotherRow();
    const writing = Promise.all(
      Array.from({ length: 10 }, (_, n) => scene.auditLog.append({ ...content, id: `written-${n}` })),
    );
    const follower = scene.follower();
    while ((await follower.step(chain_id)) === 'more');
    await writing;
    const all = await rows();
    expect(all).toHaveLength(50 + 11);
    expect(verifyAuditChain(all)).toEqual({ ok: true, rows: 61 });
    for (const address of [vault_address, otherVault]) {
      const own = await scene.auditLog.oldestFirst({ chain_id, vault_address: address });
      const head = (await scene.auditLog.headOf({ chain_id, vault_address: address }))?.head;
      expect(
        verifyVaultChain(own, { chain_id, vault_address: address, head: head ?? { vault_seq: 0, hash: '' } }),
      ).toEqual({
        ok: true,
        rows: own.length,
      });
    }
  });
});

/** A row of another service. */
async function anotherRow() {
  await scene.auditLog.append({
    id: 'other-service-1',
    timestamp: '2026-01-02T00:00:00Z',
    category: 'call',
    action_type: 'call_prepared',
    ...vault,
    actor_wallet: primary,
    details: { kept: undefined, amount: '1' },
    tx_hash: null,
    request_id: null,
  });
  const row = await scene.auditLog.get('other-service-1');
  if (!row) throw new Error('The row is not there.');
  return row;
}

test('behavior: the same event of another service twice is one row, and reads back as it was hashed', async () => {
  await anotherRow();
  await anotherRow();
  const all = await rows();
  expect(verifyAuditChain(all)).toEqual({ ok: true, rows: 1 });
  expect(all[0]).toMatchObject({ timestamp: '2026-01-02T00:00:00.000Z', details: { amount: '1' } });
});

describe('a reorganisation of the chain', () => {
  const timeline = () =>
    listTimeline(scene)({ ...vault, limit: 100 }, callOf(primary)).then(({ items }) => items.map(({ title }) => title));

  test('behavior: nothing is removed; a row for each vault says what is void, and the timeline leaves that out', async () => {
    const { fake } = scene;
    addTo(fake, 5, { name: 'StrategyPaused', args: { strategy }, from: primary });
    addTo(fake, 6, added());
    addTo(fake, 6, { ...added(), vault_address: otherVault });
    fake.indexed = 6;
    const follower = scene.follower();
    await follower.step(chain_id);
    const before = await rows();
    rollBack(fake, 6);
    addTo(fake, 6, { name: 'StrategyUnpaused', args: { strategy }, from: primary });
    await follower.step(chain_id);
    const all = await rows();
    expect(all.slice(0, 3)).toEqual(before);
    expect(
      all.slice(3, 5).map(({ action_type, vault_address: of, details }) => [action_type, of, details.voided]),
    ).toEqual([
      ['chain_rolled_back', vault_address, [`chain:${chain_id}:3`]],
      ['chain_rolled_back', otherVault, [`chain:${chain_id}:5`]],
    ]);
    expect(await timeline()).toEqual([
      'The vault was unpaused',
      'The chain was reorganised: 1 change no longer counts',
      'The vault was paused',
    ]);
    expect(verifyAuditChain(all)).toEqual({ ok: true, rows: 6 });
  });

  test('behavior: a block that comes back counts again, and a second rollback voids only what counted', async () => {
    const { fake } = scene;
    addTo(fake, 5, added());
    rollBack(fake, 5);
    addTo(fake, 5, added());
    rollBack(fake, 5);
    addTo(fake, 5, added());
    rollBack(fake, 3);
    fake.indexed = 2;
    await scene.follower().step(chain_id);
    const voided = (await rows()).filter(({ action_type }) => action_type === 'chain_rolled_back');
    expect(voided.map(({ details }) => details.voided)).toEqual([1, 4, 7].map((seq) => [`chain:${chain_id}:${seq}`]));
    expect(await timeline()).toHaveLength(3);
  });

  test('behavior: a rollback that touches no change makes no row', async () => {
    const { fake } = scene;
    addTo(fake, 5, added());
    rollBack(fake, 6);
    await scene.follower().step(chain_id);
    expect(await rows()).toHaveLength(1);
  });
});
