import { describe, expect, test } from '@jest/globals';
import { DAY, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

/** A vault whose mark rises by a skim and is lowered by a reset after a loss. */
function marked(): VaultLog {
  const vault = new VaultLog().observe();
  vault.at(START + DAY).deposit(wallet(0x701), 10_000_000n);
  vault.at(START + 2 * DAY).report(1_100_000n);
  vault.at(START + 3 * DAY).skim();
  vault.at(START + 4 * DAY).report(1_050_000n);
  vault.at(START + 5 * DAY).resetMark();
  vault.at(START + 9 * DAY).report(1_060_000n);
  return vault;
}

describe('the mark over time', () => {
  const vault = marked();
  const histories = historiesAt(momentOf(vault));
  const asked = { chain_id: 1, vault_address: vault.vault, points: 600 };
  const stepsOf = async (range: object) => {
    const answer = await reads.pps?.read({ histories }, { ...asked, ...range });
    const steps = (answer?.hwm_steps ?? []) as { t: string; pps: string }[];
    return steps.map(({ t, pps }) => `${t.slice(0, 10)} ${pps}`);
  };

  test('default: it begins with the first price, rises with the skim and falls with the reset', async () => {
    expect(await stepsOf({ period: 'all' })).toEqual([
      '2026-06-01 1000000',
      '2026-06-04 1090000',
      '2026-06-06 1050000',
    ]);
  });

  test('behavior: a range begins with the mark that was in force then', async () => {
    const from = '2026-06-05T00:00:00Z';
    expect(await stepsOf({ from })).toEqual(['2026-06-05 1090000', '2026-06-06 1050000']);
    expect(await stepsOf({ from: '2026-06-08T00:00:00Z' })).toEqual(['2026-06-08 1050000']);
    expect(await stepsOf({ from: '2026-06-01T12:00:00Z', to: '2026-06-02T12:00:00Z' })).toEqual(['2026-06-01 1000000']);
  });
});

test('behavior: of more moves than points each bucket keeps its last, of markers each kind has its part', async () => {
  const vault = new VaultLog().observe();
  vault.at(START + DAY).deposit(wallet(0x701), 10_000_000n);
  for (let day = 2; day <= 40; day += 1) {
    vault.at(START + day * DAY).report(1_000_000n + BigInt(day) * 1_000n);
    vault.at(START + day * DAY + 60).skim();
  }
  vault.at(START + 41 * DAY).resetMark();
  const ask = async (points: number) => {
    const histories = historiesAt(momentOf(vault));
    const asked = { chain_id: 1, vault_address: vault.vault, period: 'all', points };
    const answer = (await reads.pps?.read({ histories }, asked)) as Record<string, { t: string; kind: string }[]>;
    const { hwm_steps: steps = [], markers = [] } = answer;
    return { steps: steps.map(({ t }) => t), markers: markers.map(({ t, kind }) => `${t} ${kind}`) };
  };
  const all = await ask(300);
  const thinned = await ask(8);
  expect([all.steps.length, all.markers.length]).toEqual([40, 40]);
  const weekOf = (t: string) => Math.floor(Date.parse(t) / (7 * DAY * 1_000));
  const [begun, ...moves] = all.steps;
  const lastOfWeeks = moves.filter((t, at) => weekOf(t) !== weekOf(moves[at + 1] ?? '2030-01-01T00:00:00Z'));
  expect(thinned.steps).toEqual([begun, ...lastOfWeeks]);
  expect(thinned.markers.length).toBeLessThanOrEqual(8);
  expect(thinned.markers.at(-1)).toBe(all.markers.at(-1));
  expect(all.markers).toEqual(expect.arrayContaining(thinned.markers));
});
