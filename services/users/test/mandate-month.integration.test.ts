import type { GetVaultReport, ParamsOf } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { openRecordCollections } from '../src/alerts/records/models/collections.ts';
import { getMandateAttestation } from '../src/mandates/attestations/attest.ts';
import { storedAttestationKeys } from '../src/mandates/attestations/attestation-keys.ts';
import { openAttestationCollections } from '../src/mandates/attestations/models/collections.ts';
import { verifyAttestation } from '../src/mandates/attestations/verify/verify.ts';
import { acknowledgeMandateBreach } from '../src/mandates/use-cases/judgements.ts';
import { openReportCollections } from '../src/report/models/collections.ts';
import { getVaultReport } from '../src/report/report.ts';
import {
  call,
  deps,
  documentOf,
  enforced,
  ledger,
  monthEnd,
  openForEachTest,
  rows,
  scene,
  timeOf,
  watch,
  world,
} from './mandate-scene.ts';
import { secondary, stranger, vault, viewer } from './scene.ts';

/** The month of a mandate: its attestation and its report. */

openForEachTest();

describe('a month', () => {
  const day = 86_400;
  const key = Buffer.alloc(32, 7);
  const keysAt = (block: number, secret = key) =>
    storedAttestationKeys({
      ...scene,
      keys: openAttestationCollections(scene.mongo),
      secret,
      rotationSeconds: 365 * day,
      now: () => new Date(timeOf(block)),
    });
  const attesting = (block: number) => ({
    ...deps(block),
    attestations: openAttestationCollections(scene.mongo),
    attestationKeys: keysAt(block),
  });
  const attestation = (period = '2026-01', who: string | null = viewer, block = monthEnd + 100) =>
    getMandateAttestation(attesting(block))({ ...vault, period }, call(who ?? undefined));
  const published = async (block: number) => JSON.stringify({ keys: await keysAt(block).published() });
  const begin = async (document = documentOf()) => {
    await enforced(document, 0, monthEnd - 10);
    world.tip = monthEnd + 10;
    world.final = monthEnd + 5;
    world.pageLimit = 4;
  };

  test('default: it is attested once it is final, once, by a key of its own, and verifies by what is published', async () => {
    await begin();
    world.broken = [monthEnd - 7, monthEnd - 2, monthEnd - 1, monthEnd, monthEnd + 1];
    await watch();
    const { breach_id } = (await ledger()).at(-1) as { breach_id: string };
    await acknowledgeMandateBreach(deps())({ ...vault, breach_id, note: 'Seen' }, call(secondary));
    world.final = monthEnd - 1;
    await expect(attestation()).rejects.toMatchObject({ code: 'MONTH_NOT_FINAL' });
    world.final = monthEnd;
    const files = await Promise.all([attestation(), attestation(), attestation()]);
    world.broken = [];
    expect(
      new Set([...files, await attestation('2026-01', viewer, monthEnd + day)].map((file) => JSON.stringify(file)))
        .size,
    ).toBe(1);
    const { statement } = await verifyAttestation(JSON.stringify(files[0]), await published(monthEnd + 100));
    expect(statement).toMatchObject({
      verdict: 'breached',
      mandates: [{ observations: 11, from: timeOf(monthEnd - 10), to: timeOf(monthEnd) }],
    });
    const [promise] = statement.mandates[0]?.promises ?? [];
    expect(promise).toMatchObject({ states: { held: 7, broken: 4 }, worst: { block_number: monthEnd } });
    expect(
      promise?.breaches.map(({ started, ended, note }) => [started.block_number, ended?.block_number ?? null, note]),
    ).toEqual([
      [monthEnd - 7, monthEnd - 6, 'Seen'],
      [monthEnd - 2, null, null],
    ]);
    expect((await rows()).filter((row) => /attest/.test(row))).toEqual(['attestation_key_rotated', 'mandate_attested']);
  });

  test('behavior: a breach of the month before is known by its true beginning', async () => {
    await begin();
    world.broken = [monthEnd - 2, monthEnd - 1, monthEnd, monthEnd + 1];
    world.final = 59 * day + 5;
    const { statement } = await verifyAttestation(
      JSON.stringify(await attestation('2026-02', viewer, 59 * day + 5)),
      await published(59 * day),
    );
    const [promise] = statement.mandates[0]?.promises ?? [];
    expect(promise?.breaches).toMatchObject([
      { started: { block_number: monthEnd - 2 }, ended: { block_number: monthEnd + 2 } },
    ]);
    expect(promise?.states).toMatchObject({ broken: 1 });
  });

  test('behavior: only who may read the mandate may read its attestation; of no mandate there is none', async () => {
    await begin();
    await attestation();
    for (const who of [null, stranger])
      await expect(attestation('2026-01', who)).rejects.toMatchObject({ code: 'MANDATE_NOT_FOUND' });
    await expect(attestation('2025-12')).rejects.toMatchObject({ code: 'MANDATE_NOT_FOUND' });
    await enforced(documentOf({ public: true }), 1, monthEnd + 1);
    world.final = 59 * day + 1;
    await expect(attestation('2026-01', stranger)).rejects.toMatchObject({ code: 'MANDATE_NOT_FOUND' });
    await expect(attestation('2026-03', null)).rejects.toMatchObject({ code: 'MONTH_NOT_FINAL' });
  });

  test('behavior: after a year another key signs, made once by two at the same time; the former one stays published', async () => {
    const [first, again] = await Promise.all([keysAt(0).active(), keysAt(0).active()]);
    expect(again.kid).toBe(first.kid);
    expect((await keysAt(364 * day).active()).kid).toBe(first.kid);
    const later = 366 * day;
    const [next, other] = await Promise.all([keysAt(later).active(), keysAt(later).active()]);
    expect(other.kid).toBe(next.kid);
    expect(next.kid).not.toBe(first.kid);
    const set = await keysAt(later).published();
    expect(set.map(({ kid, castellan_from, castellan_until }) => [kid, castellan_from, castellan_until])).toEqual([
      [next.kid, timeOf(later), null],
      [first.kid, timeOf(0), timeOf(later)],
    ]);
    expect(JSON.stringify(set)).not.toContain('"d"');
    const { keys, keyHistory } = openAttestationCollections(scene.mongo);
    // The private part of the former one is gone, and after a restored backup that of the newest too.
    expect(await keys.countDocuments({})).toBe(1);
    await keys.deleteMany({});
    expect((await keysAt(later).active()).kid).not.toBe(next.kid);
    expect(await keysAt(later).published()).toHaveLength(3);
    // What somebody else writes is no key, and what they take for one is not published.
    await keyHistory.insertOne({ _id: 'foreign', generation: 9, created_at: new Date(), sealed_public_jwk: 'v1:AAAA' });
    await keyHistory.updateOne({ _id: first.kid }, { $set: { created_at: new Date(0) } });
    expect((await keysAt(later).published()).map(({ kid }) => kid)).not.toContain('foreign');
    expect(await keysAt(later).published()).toHaveLength(2);
    await expect(keysAt(later, Buffer.alloc(32, 8)).published()).rejects.toThrow();
  });

  describe('its report', () => {
    const report = async (more: Partial<ParamsOf<typeof GetVaultReport>> = {}, who?: string) => {
      const reporting = {
        ...deps(monthEnd + 100),
        alerts: openRecordCollections(scene.mongo),
        reports: openReportCollections(scene.mongo),
      };
      const asked = { ...vault, period: '2026-01', edition: 'public', format: 'json', ...more } as const;
      return getVaultReport(reporting)(asked, call(who));
    };

    test('default: a final month is kept and has the same bytes ever after, made by two at the same time too', async () => {
      await begin(documentOf({ public: true }));
      const [first, second] = await Promise.all([report(), report()]);
      world.broken = [monthEnd];
      expect(second).toEqual(first);
      expect(await report()).toEqual(first);
      expect(first.state).toBe('final');
      expect(JSON.parse(first.text)).toMatchObject({
        state: 'final',
        period: '2026-01',
        vault_name: '<b>Core',
        to: timeOf(monthEnd),
      });
      const page = await report({ format: 'html' });
      expect(page.text).toContain(first.sha256);
      expect(page.text).toContain('Core mandate, version 1');
      expect(page.text).not.toContain('<b>Core');
      expect(await openReportCollections(scene.mongo).reports.countDocuments({})).toBe(1);
    });

    test('behavior: a month that is not final is a preview, and nothing of it is kept', async () => {
      world.tip = 20;
      const { state, text } = await report();
      expect([state, JSON.parse(text).reads[0].address]).toEqual([
        'preview',
        expect.stringContaining('block=20&from=2026-01-01'),
      ]);
      expect(await openReportCollections(scene.mongo).reports.countDocuments({})).toBe(0);
      await expect(report({ period: '2026-02' })).rejects.toMatchObject({ code: 'PERIOD_UNKNOWN' });
    });

    test('error: the full edition takes a role, also where it is kept; the public one has no mandate that is not public', async () => {
      await begin();
      const full = await report({ edition: 'full' }, viewer);
      expect(full.text).toContain('Core mandate, version 1');
      expect(full.text).toContain('"Alerts"');
      for (const who of [undefined, stranger])
        await expect(report({ edition: 'full' }, who)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
      const open = await report({}, viewer);
      expect(open.text).not.toContain('Core mandate');
      expect(open.text).not.toContain('"Alerts"');
    });
  });
});
