import { describe, expect, test } from '@jest/globals';
import { HOUR, START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { holdingAt } from './holder-ledger.ts';

const ada = wallet(1);
const bob = wallet(2);

/** Deposits of both, then a request of each in hours 2 and 3, then one more of ada. */
function asked(): VaultLog {
  const log = new VaultLog().observe();
  log
    .at(START + HOUR)
    .deposit(ada, 1_000_000n)
    .deposit(bob, 1_000_000n);
  log.at(START + 2 * HOUR).request(ada, 200_000n);
  log.at(START + 3 * HOUR).request(bob, 300_000n);
  log.at(START + 4 * HOUR).request(ada, 100_000n);
  return log;
}
const holdingOf = (log: VaultLog, address: string) => {
  const { history, block, time } = momentOf(log);
  const holder = history.holders.people(block).find((person) => person.address === address.toLowerCase());
  const holding = holder && holdingAt(holder, time, block);
  return [holding?.shares, holding?.locked, holding?.pending];
};
const pending = (log: VaultLog, block?: number) => {
  const moment = momentOf(log, block === undefined ? {} : { block });
  return moment.history.redemptions.pendingAt(moment.block).map(({ shares }) => shares);
};

describe('a redemption', () => {
  test("default: waits with its shares held and locked, until all of its controller's are fulfilled together", () => {
    const log = asked();
    expect(pending(log)).toEqual([200_000n, 300_000n, 100_000n]);
    expect(holdingOf(log, ada)).toEqual([1_000_000n, 300_000n, 300_000n]);
    log.at(START + 6 * HOUR).fulfil(ada);
    expect(pending(log)).toEqual([300_000n]);
    expect(holdingOf(log, ada)).toEqual([700_000n, 0n, 0n]);
    expect(momentOf(log).history.redemptions.fulfilments.map(({ seconds }) => seconds)).toEqual([4 * HOUR, 2 * HOUR]);
    log.at(START + 7 * HOUR).claim(ada);
    expect(holdingOf(log, ada)).toEqual([700_000n, 0n, 0n]);
  });

  test('behavior: cancelled, it waits no more; its shares stay locked until they are taken back', () => {
    const log = asked();
    log.at(START + 5 * HOUR).cancel(bob);
    expect(pending(log)).toEqual([200_000n, 300_000n, 100_000n]);
    log.at(START + 6 * HOUR).fulfilCancel(bob);
    expect(pending(log)).toEqual([200_000n, 100_000n]);
    expect(holdingOf(log, bob)).toEqual([1_000_000n, 300_000n, 0n]);
    log.at(START + 7 * HOUR).claimCancel(bob);
    expect(holdingOf(log, bob)).toEqual([1_000_000n, 0n, 0n]);
    expect(momentOf(log).history.redemptions.fulfilments).toEqual([]);
    log.at(START + 8 * HOUR).request(bob, 50_000n);
    expect(pending(log)).toEqual([200_000n, 100_000n, 50_000n]);
  });

  test('behavior: what waited at an earlier block is answered for that block', () => {
    const log = asked();
    const block = log.chain.block;
    log.at(START + 6 * HOUR).fulfil(ada);
    log.at(START + 7 * HOUR).fulfil(bob);
    expect(pending(log)).toEqual([]);
    expect(pending(log, block)).toEqual([200_000n, 300_000n, 100_000n]);
    expect(pending(log, block - 1)).toEqual([200_000n, 300_000n]);
  });

  test('default: a holder allows 50 bps to be lost until it sets another limit; 0 means the default again', () => {
    const log = asked();
    const set = (bps: number) =>
      log.transaction(ada, [['strategy.RedeemSlippageSet', { controller: ada, slippageBps: `${bps}` }]]);
    const slippage = () => momentOf(log).history.redemptions.slippageOf(ada.toLowerCase(), log.chain.block);
    expect(slippage()).toBe(50n);
    set(200);
    expect(slippage()).toBe(200n);
    log.at(START + 6 * HOUR);
    set(0);
    expect(slippage()).toBe(50n);
  });
});
