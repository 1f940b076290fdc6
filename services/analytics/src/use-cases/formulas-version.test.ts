import { createHash } from 'node:crypto';
import { formulasVersion } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { CHAIN, DAY } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { actions, played } from '../domain/random-vault.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

/** Of all answers about one vault, by the version that gave them. A version is never given other answers: clients have kept its own. */
const answered: Readonly<Record<string, string>> = {
  1: '97a631edfdbcb525e924295cbd193e051977a751febf849b01e1bff8ab542168',
  // Receipts of gas name the L1 fee, which was always in the figure.
  2: '3020cae27dd9ffd6514d318ebac4f1024418c8c9fe9827eb332cef7b7f8175bc',
  // The queue of redemptions and the position of a wallet; fees are a part of a change of TVL; the value bridge; fee drag, Sortino, Calmar, recovery, tenure, results of holders.
  3: 'd36630b6d98c5895f9f4be5a16f714eafdff9448dff8dea3a072505daf5c307c',
  // Benchmarks of the operator's: excess return, tracking error, information ratio, and what Sharpe and Sortino are above; marks of what
  // happened, and settings and roles as they were; scenarios.
  4: '2296d26da9b8f953c5cbfab832744adfcef5ac3711eef93599320a965a146ae8',
  // Receipts name `castellan verify receipt`, which their reader has without the repository.
  5: '73ae33d5f29fbc7b95f9d79f7ca10b73758467b920d2ca3170fd23db69532456',
  // Figures over a past range are stale by its end, and a price expires from the time inside its report; the net price now is of the mark
  // and the fee of now; volatility over days without reports is by the irregular estimator.
  6: '8c5acca52c6c54fe49ff73172a5da90ece11b28a71e8c554c3c9394cfe3c5870',
  // The yearly rate of a wallet's position.
  7: '5eeaa4bb80d54854a2c3f8803c2a73d8363849cf7ec6703cc8714b8b7b40c4c4',
};

const steps = Array.from({ length: 5 * actions.length }, (_, n) => ({
  action: actions[(n * 7) % actions.length] as (typeof actions)[number],
  who: n % 6,
  size: 1 + ((n * 7_919) % 1_000_000),
  after: (n * 37_123) % (2 * DAY),
}));

test('behavior: other answers, figures or receipts, are another version of the formulas', async () => {
  const vault = played(steps);
  const histories = historiesAt(momentOf(vault));
  const hash = createHash('sha256');
  for (const [name, { read }] of Object.entries(reads)) {
    const answer = await read({ histories }, { chain_id: CHAIN, vault_address: vault.vault, receipt: true });
    hash.update(`${name} ${JSON.stringify(answer)}\n`);
  }
  // Changed on purpose: raise `formulasVersion`, and add what is answered now.
  expect(hash.digest('hex')).toBe(answered[formulasVersion]);
  expect(new Set(Object.values(answered)).size).toBe(Object.keys(answered).length);
});
