import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HOUR, START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { fundingsOf, redemptionQueue } from './redemption-queue.ts';

const ada = wallet(1);
const bob = wallet(2);
const cleo = wallet(3);
const source = (n: number, payable: bigint) => ({ address: wallet(0x5000 + n), payable });

/** Three depositors of a million each; idle assets and sources as the test says. */
function vaultWith(seen: { idle: bigint; sources?: readonly bigint[] }): VaultLog {
  const log = new VaultLog().observe();
  for (const who of [ada, bob, cleo]) log.at(log.chain.time + HOUR).deposit(who, 1_000_000n);
  const observed = (assets: bigint, n: number) => ({
    source_address: wallet(0x5000 + n),
    oracle_address: wallet(0x5100),
    assets: `${assets}`,
    shares: `${assets}`,
    available: `${assets}`,
    price_per_share: '1000000',
  });
  return log.observe({ idle: `${seen.idle}`, allocation: (seen.sources ?? []).map(observed) });
}

const queueOf = (log: VaultLog, block?: number) => redemptionQueue(momentOf(log, block === undefined ? {} : { block }));
const shown = (log: VaultLog, block?: number) =>
  queueOf(log, block).map(({ controller, shares, state }) => [controller, shares, state]);

describe('who waits', () => {
  test('default: each wallet once, by its oldest request, with all that it asked for', () => {
    const log = vaultWith({ idle: 1_000_000n });
    log.at(START + 10 * HOUR).request(bob, 200_000n);
    log.at(START + 11 * HOUR).request(ada, 300_000n);
    log.at(START + 12 * HOUR).request(bob, 100_000n);
    expect(shown(log)).toEqual([
      [bob, 300_000n, 'payable'],
      [ada, 300_000n, 'payable'],
    ]);
    const [first] = queueOf(log);
    expect(first?.requests.map(({ time }) => time)).toEqual([START + 10 * HOUR, START + 12 * HOUR]);
  });

  test('behavior: blocked by the mean price of its requests, until the wallet allows more slippage', () => {
    const log = vaultWith({ idle: 1_000_000n });
    log.at(START + 10 * HOUR).request(ada, 100_000n);
    log.at(START + 11 * HOUR).report(1_100_000n);
    log.at(START + 12 * HOUR).request(ada, 100_000n);
    // Asked at 1 and at 1.1: 1.05 in the mean, of which half a percent may be lost.
    log.at(START + 13 * HOUR).report(1_044_700n);
    expect(shown(log)).toEqual([[ada, 200_000n, 'blocked']]);
    log.at(START + 14 * HOUR).report(1_044_800n);
    expect(shown(log)).toEqual([[ada, 200_000n, 'payable']]);
    log.at(START + 15 * HOUR).report(1_000_000n);
    expect(queueOf(log)[0]).toMatchObject({ state: 'blocked', funding: null });
    log.transaction(ada, [['strategy.RedeemSlippageSet', { controller: ada, slippageBps: '500' }]]);
    expect(shown(log)).toEqual([[ada, 200_000n, 'payable']]);
  });

  test('behavior: a wallet that wants its shares back keeps its place and takes nothing; earlier blocks do not know it', () => {
    const log = vaultWith({ idle: 250_000n });
    log.at(START + 10 * HOUR).request(ada, 200_000n);
    log.at(START + 11 * HOUR).request(bob, 200_000n);
    const { block } = log.chain;
    log.at(START + 12 * HOUR).cancel(ada);
    expect(shown(log)).toEqual([
      [ada, 200_000n, 'cancelling'],
      [bob, 200_000n, 'payable'],
    ]);
    expect(shown(log, block)).toEqual([
      [ada, 200_000n, 'payable'],
      [bob, 200_000n, 'short'],
    ]);
    log.at(START + 13 * HOUR).fulfilCancel(ada);
    log.at(START + 14 * HOUR).request(ada, 50_000n);
    expect(shown(log).at(-1)).toEqual([ada, 50_000n, 'payable']);
  });

  test('default: before the first observation nothing is said of payment', () => {
    const log = new VaultLog();
    log
      .at(START + HOUR)
      .deposit(ada, 1_000_000n)
      .request(ada, 1_000n);
    expect(queueOf(log)).toMatchObject([{ shares: 1_000n, state: 'unknown', funding: null }]);
  });
});

describe('paid from what', () => {
  test('default: idle assets go to those that they reach whole, sources pay the others, the largest first', () => {
    const log = vaultWith({ idle: 500_000n, sources: [300_000n, 400_000n] });
    log.at(START + 10 * HOUR).request(ada, 900_000n);
    log.at(START + 11 * HOUR).request(bob, 400_000n);
    log.at(START + 12 * HOUR).request(cleo, 200_000n);
    const [first, second, third] = queueOf(log);
    expect(second).toMatchObject({ state: 'payable', funding: { idle: { assets: 400_000n, before: 0n } } });
    expect(first).toMatchObject({
      state: 'short',
      funding: {
        idle: { assets: 100_000n, before: 400_000n },
        sources: [
          { address: wallet(0x5001), assets: 400_000n, before: 0n },
          { address: wallet(0x5000), assets: 300_000n, before: 0n },
        ],
        missing: 100_000n,
      },
    });
    expect(third).toMatchObject({ state: 'short', funding: { sources: [], missing: 200_000n } });
  });

  test('default: what sources reach needs a withdrawal', () => {
    const log = vaultWith({ idle: 100_000n, sources: [900_000n] });
    log.at(START + 10 * HOUR).request(ada, 600_000n);
    expect(queueOf(log)[0]).toMatchObject({
      state: 'needs_withdrawal',
      funding: { idle: { assets: 100_000n }, sources: [{ assets: 500_000n }], missing: 0n },
    });
  });

  test('property: nothing is made or lost, and nobody takes what is not there', () => {
    const amount = fc.bigInt({ min: 0n, max: 1_000_000n });
    fc.assert(
      fc.property(fc.array(amount), amount, fc.array(amount, { maxLength: 5 }), (wanted, idle, payables) => {
        const sources = payables.map((payable, n) => source(n, payable));
        const fundings = fundingsOf(wanted, idle, sources);
        const sum = (parts: readonly bigint[]) => parts.reduce((total, part) => total + part, 0n);
        fundings.forEach((funding, place) => {
          const parts = [funding.idle.assets, ...funding.sources.map(({ assets }) => assets), funding.missing];
          expect(sum(parts)).toBe(wanted[place]);
        });
        expect(sum(fundings.map((funding) => funding.idle.assets)) <= idle).toBe(true);
        for (const { address, payable } of sources) {
          const taken = fundings.flatMap((funding) => funding.sources.filter((part) => part.address === address));
          expect(sum(taken.map(({ assets }) => assets)) <= payable).toBe(true);
        }
        const isShort = fundings.some(({ missing }) => missing > 0n);
        const left = idle + sum(payables) - sum(wanted) + sum(fundings.map(({ missing }) => missing));
        expect(isShort ? left : 0n).toBe(0n);
      }),
      runs(200),
    );
  });
});
