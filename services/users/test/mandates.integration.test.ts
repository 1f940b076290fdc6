import { describe, expect, test } from '@jest/globals';
import { privateKeyToAccount } from 'viem/accounts';
import { listTimeline } from '../src/audit/use-cases/read-timeline.ts';
import {
  acknowledgeMandateBreach,
  backtestMandate,
  getMandateStatus,
  listMandateBreaches,
} from '../src/mandates/use-cases/judgements.ts';
import { draftMandate, enforceMandate, getMandate, listMandateVersions } from '../src/mandates/use-cases/versions.ts';
import {
  call,
  deps,
  documentOf,
  enforced,
  ledger,
  limited,
  openForEachTest,
  owner,
  rows,
  scene,
  signals,
  signed,
  timeOf,
  watch,
  world,
} from './mandate-scene.ts';
import { secondary, stranger, vault, viewer } from './scene.ts';

/** Versions of a mandate and the ledger of its breaches. */

openForEachTest();

describe('versions', () => {
  test('default: a draft is put into force by a signature, and the next one supersedes it', async () => {
    const first = await enforced();
    expect(first).toMatchObject({ version: 1, state: 'in_force', signed_by: owner.address, created_by: secondary });
    await draftMandate(deps())({ ...vault, document: documentOf({ title: 'Next' }), replaces: 1 }, call(secondary));
    expect(await getMandate(deps())(vault, call(viewer))).toMatchObject({
      in_force: { version: 1 },
      draft: { version: 2, state: 'draft', document: { title: 'Next' }, signature: null },
    });
    await enforced(documentOf({ title: 'Third' }), 2);
    const { versions, total } = await listMandateVersions(deps())({ ...vault, limit: 2 }, call(viewer));
    expect(versions.map(({ version, state }) => [version, state])).toEqual([
      [3, 'in_force'],
      [2, 'draft'],
    ]);
    expect(total).toBe(3);
    expect(await rows()).toEqual([
      'mandate_drafted',
      'mandate_enforced',
      'mandate_drafted',
      'mandate_drafted',
      'mandate_enforced',
    ]);
  });

  test('behavior: pages of versions go on where the one before ended', async () => {
    for (const replaces of [0, 1, 2])
      await draftMandate(deps())({ ...vault, document: documentOf(), replaces }, call(secondary));
    const list = listMandateVersions(deps());
    const page = await list({ ...vault, limit: 2 }, call(viewer));
    const rest = await list({ ...vault, limit: 2, cursor: page.next_cursor as string }, call(viewer));
    expect(rest).toMatchObject({ versions: [{ version: 1 }], has_more: false });
    await expect(list({ ...vault, limit: 2, cursor: 'none' }, call(viewer))).rejects.toMatchObject({
      code: 'CURSOR_INVALID',
    });
  });

  test('behavior: of two drafts in place of the same version one is kept', async () => {
    const draft = () => draftMandate(deps())({ ...vault, document: documentOf(), replaces: 0 }, call(secondary));
    const done = await Promise.allSettled([draft(), draft()]);
    expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(draft()).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(await rows()).toEqual(['mandate_drafted']);
  });

  test('security: only the primary manager with a signature of their own over this very version', async () => {
    const drafted = await draftMandate(deps())({ ...vault, document: documentOf(), replaces: 0 }, call(secondary));
    const enforce = (signature: string, who: string) =>
      enforceMandate(deps())({ ...vault, version: 1, signature }, call(who));
    const good = await signed(1, drafted.document_hash);
    await expect(enforce(good, secondary)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    const others = [
      await signed(2, drafted.document_hash),
      await signed(1, `0x${'00'.repeat(32)}`),
      await signed(1, drafted.document_hash, privateKeyToAccount(`0x${'22'.repeat(32)}`)),
      '0x1234',
    ];
    for (const signature of others)
      await expect(enforce(signature, owner.address)).rejects.toMatchObject({ code: 'MANDATE_SIGNATURE_INVALID' });
    await enforce(good, owner.address);
    await expect(enforce(good, owner.address)).rejects.toMatchObject({ code: 'MANDATE_ENFORCED' });
  });

  test('security: without a role there is a mandate only once it is in force and public', async () => {
    const seenBy = async (who: string | undefined) => {
      const [{ in_force, draft }, { version }, { breaches }] = await Promise.all([
        getMandate(deps())(vault, call(who)),
        getMandateStatus(deps())(vault, call(who)),
        listMandateBreaches(deps())({ ...vault, limit: 10 }, call(who)),
      ]);
      return [in_force?.version ?? null, draft?.version ?? null, version, breaches.length];
    };
    world.broken = [3];
    await enforced();
    await watch();
    for (const who of [undefined, stranger]) expect(await seenBy(who)).toEqual([null, null, null, 0]);
    expect(await seenBy(viewer)).toEqual([1, null, 1, 1]);
    await enforced(documentOf({ public: true }), 1, 10);
    await draftMandate(deps())({ ...vault, document: documentOf(), replaces: 2 }, call(secondary));
    // Breaches of the version that was not public stay with those who have a role.
    for (const who of [undefined, stranger]) expect(await seenBy(who)).toEqual([2, null, 2, 0]);
    expect(await seenBy(viewer)).toEqual([2, 3, 2, 1]);
    await expect(listMandateVersions(deps())({ ...vault, limit: 9 }, call(stranger))).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
    const document = documentOf();
    for (const who of [viewer, stranger])
      await expect(draftMandate(deps())({ ...vault, document, replaces: 3 }, call(who))).rejects.toMatchObject({
        code: 'ROLE_REQUIRED',
      });
  });
});

describe('the ledger', () => {
  const spans = async () =>
    (await ledger()).map(({ started, worst, ended }) => [
      started.block_number,
      worst.block_number,
      ended?.block_number ?? null,
    ]);

  test('default: a breach has its start, worst and end, rows of the audit log and an alert', async () => {
    await enforced();
    world.broken = [4, 5];
    world.tip = 5;
    await watch();
    expect(await spans()).toEqual([[4, 5, null]]);
    expect(await getMandateStatus(deps(5))(vault, call(viewer))).toMatchObject({ state: 'broken', open_breaches: 1 });
    world.tip = 8;
    world.broken = [4, 5, 6];
    await watch();
    expect(await spans()).toEqual([[4, 6, 7]]);
    expect(signals).toMatchObject([
      { subject: 'idle', state: 'failing', detail: expect.stringContaining('at least 5.00% is promised') },
      { subject: 'idle', state: 'ok' },
    ]);
    expect((await rows()).slice(2)).toEqual(['mandate_breached', 'mandate_breach_ended']);
    expect(world.asked.at(-1)).toMatchObject({ after_block: 5, open: [{ promise_id: 'idle' }] });
  });

  test('behavior: judged live page by page it is what a back-test of the same blocks finds, and again it is the same', async () => {
    await enforced();
    world.broken = [2, 3, 6, 8, 9];
    world.pageLimit = 2;
    for (const tip of [1, 4, 5, 9, 10]) {
      world.tip = tip;
      await watch();
    }
    const live = await ledger();
    await watch();
    expect(await ledger()).toEqual(live);
    const range = { from: timeOf(1), to: timeOf(10) };
    const tried = await backtestMandate(deps())({ ...vault, document: documentOf(), ...range }, call(viewer));
    expect(live.map(({ started, worst, ended }) => ({ ...limited, started, worst, ended }))).toEqual(tried.breaches);
    expect(tried).toMatchObject({
      observations: 10,
      truncated: false,
      promises: [{ promise_id: 'idle', breaches: 3, broken_seconds: 5 }],
    });
  });

  test('reorg: under another projection all is judged again; what did not happen leaves the ledger and its alert', async () => {
    await enforced();
    world.broken = [3, 9, 10];
    await watch();
    const { breach_id } = (await ledger()).at(-1) as { breach_id: string };
    await acknowledgeMandateBreach(deps())({ ...vault, breach_id, note: 'Seen' }, call(secondary));
    world.generation = 2;
    world.broken = [3];
    await watch();
    expect(await ledger()).toMatchObject([{ breach_id, note: 'Seen', acknowledged_by: secondary }]);
    expect(signals.map(({ state }) => state)).toEqual(['ok', 'failing', 'ok']);
  });

  test('reorg: a breach that was undone and returns at its block alerts again, and its audit rows are void', async () => {
    await enforced();
    world.broken = [9, 10];
    await watch();
    const [first] = await ledger();
    world.generation = 2;
    world.tip = 8;
    await watch();
    expect(await ledger()).toEqual([]);
    world.tip = 10;
    await watch();
    await watch();
    const [second] = await ledger();
    expect(second?.breach_id).not.toBe(first?.breach_id);
    expect(signals.map(({ state }) => state)).toEqual(['failing', 'ok', 'failing']);
    expect((await rows()).slice(2)).toEqual(['mandate_breached', 'mandate_breach_undone', 'mandate_breached']);
    expect((await scene.storedRows()).find(({ action_type }) => action_type === 'mandate_breach_undone')).toMatchObject(
      { details: { breach_id: first?.breach_id, voided: [`mandate-breach:${first?.breach_id}:started`] } },
    );
    const { items } = await listTimeline(deps())({ ...vault, category: 'setting', limit: 3 }, call(viewer));
    expect(items.map(({ action_type }) => action_type)).toEqual([
      'mandate_breached',
      'mandate_breach_undone',
      'mandate_enforced',
    ]);
  });

  test('reorg: a breach whose end was undone is open again, with its alert, and ends again', async () => {
    await enforced();
    world.broken = [3, 4];
    await watch();
    world.generation = 2;
    world.tip = 4;
    await watch();
    world.tip = 6;
    await watch();
    expect(signals.map(({ state }) => state)).toEqual(['ok', 'failing', 'ok']);
    expect(await ledger()).toMatchObject([{ ended: { block_number: 5 } }]);
    expect((await rows()).slice(2)).toEqual([
      'mandate_breached',
      'mandate_breach_ended',
      'mandate_breach_end_undone',
      'mandate_breach_ended',
    ]);
  });

  test('reorg: a breach that ends on a later page than the one it is found on stays as it was', async () => {
    await enforced();
    world.broken = [3, 4];
    await watch();
    const written = await rows();
    const [before] = await ledger();
    world.generation = 2;
    world.pageLimit = 2;
    await watch();
    expect(await rows()).toEqual(written);
    expect(await ledger()).toEqual([before]);
    expect(signals.map(({ state }) => state)).toEqual(['ok']);
  });

  test('reorg: the alert stays with a breach of the same promise that began at another block', async () => {
    await enforced();
    world.broken = [9];
    world.tip = 9;
    await watch();
    world.generation = 2;
    world.broken = [10];
    world.tip = 10;
    await watch();
    expect((await ledger()).map(({ started }) => started.block_number)).toEqual([10]);
    expect(signals.at(-1)).toMatchObject({ state: 'failing' });
  });

  test('behavior: a new version ends what was open under the one before', async () => {
    await enforced();
    world.broken = [5];
    world.tip = 5;
    await watch();
    await enforced(documentOf({ title: 'Next' }), 1, 6);
    world.tip = 7;
    await watch();
    expect(await ledger()).toMatchObject([{ version: 1, superseded: true, ended: null }]);
    expect(signals.map(({ state }) => state)).toEqual(['failing', 'ok']);
    expect(await getMandateStatus(deps(7))(vault, call(viewer))).toMatchObject({ version: 2, open_breaches: 0 });
  });

  test('behavior: an acknowledgement stays with who made it first, and its note can change', async () => {
    await enforced();
    world.broken = [4];
    await watch();
    const { breach_id } = (await ledger())[0] as { breach_id: string };
    const acknowledge = (who: string, note: string) =>
      acknowledgeMandateBreach(deps())({ ...vault, breach_id, note }, call(who));
    await acknowledge(secondary, 'Looking');
    expect(await acknowledge(owner.address, 'Rebalanced')).toMatchObject({
      acknowledged_by: secondary,
      note: 'Rebalanced',
    });
    await expect(acknowledge(viewer, 'No')).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    const unknown = { ...vault, breach_id: 'mb_0' };
    await expect(acknowledgeMandateBreach(deps())(unknown, call(secondary))).rejects.toMatchObject({
      code: 'BREACH_NOT_FOUND',
    });
  });

  test('default: without a mandate in force nothing is judged', async () => {
    await watch();
    expect(world.asked).toEqual([]);
    expect(await getMandateStatus(deps())(vault, call(viewer))).toMatchObject({ version: null, promises: [] });
  });
});

/** A mandate that came into force ten seconds before the end of January, looked at from February on. */
