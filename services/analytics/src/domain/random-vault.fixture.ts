import fc from 'fast-check';
import { DAY, START, wallet } from './chain-log.fixture.ts';
import { VaultLog } from './vault-log.fixture.ts';

/** Something that happens to a vault: which of the actions below, who does it, how much, how long after the one before. */
export type Step = { action: (typeof actions)[number]; who: number; size: number; after: number };

/** What may happen to a vault; what happens more often is named more than once. */
export const actions = [
  'deposit',
  'deposit',
  'report',
  'report',
  'report',
  'request',
  'fulfil',
  'cancel',
  'transfer',
  'skim',
  'fee',
  'reset',
  'recipient',
  'observe',
  'answer',
  'rate',
] as const;

const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...actions),
  who: fc.integer({ min: 0, max: 5 }),
  size: fc.integer({ min: 1, max: 1_000_000 }),
  after: fc.oneof(fc.integer({ min: 0, max: 3_600 }), fc.integer({ min: 3_600, max: 4 * DAY })),
});

const person = (n: number): string => wallet(0x100 + n);

const does: Readonly<Record<Step['action'], (vault: VaultLog, step: Step) => void>> = {
  deposit: (vault, { who, size }) => {
    const assets = BigInt(size) * 1_000n;
    vault.deposit(person(who), assets, size % 3 === 0 ? { entryFee: assets / 1_000n } : {});
  },
  // Up to 1 % down, up to 3 % up.
  report: (vault, { size }) => {
    vault.report((vault.pps * BigInt(990_000 + (size % 40_000))) / 1_000_000n + 1n);
  },
  request: (vault, { who, size }) => {
    const shares = ((vault.balances.get(person(who)) ?? 0n) * BigInt(1 + (size % 4))) / 4n;
    if (shares > 0n) vault.request(person(who), shares);
  },
  fulfil: (vault, { size }) => {
    for (const [who, shares] of [...vault.pending]) {
      const promised = (shares * vault.pps) / vault.precision;
      vault.fulfil(who, promised - (promised * BigInt(size % 50)) / 10_000n);
      if (size % 2 === 0) vault.claim(who);
    }
  },
  cancel: (vault, { who }) => {
    if (vault.pending.has(person(who))) vault.cancel(person(who)).fulfilCancel(person(who)).claimCancel(person(who));
  },
  transfer: (vault, { who, size }) => {
    const shares = ((vault.balances.get(person(who)) ?? 0n) * BigInt(1 + (size % 4))) / 4n;
    if (shares > 0n) vault.transfer(person(who), person((who + 1) % 6), shares);
  },
  skim: (vault) => {
    if (vault.supply > 0n) vault.skim();
  },
  fee: (vault, { size }) => {
    vault.changeFee(BigInt(size % 5_000));
  },
  recipient: (vault, { who, size }) => {
    vault.changeRecipient(size % 2 === 0 ? person(who) : wallet(size));
  },
  reset: (vault) => {
    vault.resetMark();
  },
  observe: (vault, { size }) => {
    // Enough to pay for every update of the longest history.
    vault.observe({ upkeep_balance: `${1_000_000 + size}`, upkeep_cost_per_update: size % 5 === 0 ? null : '7' });
  },
  answer: (vault, { size }) => {
    vault.chain.answer([vault.asset, '0x0000000000000000000000000000000000000000'], BigInt(size) * 200n);
  },
  // Up to 5 % a year.
  rate: (vault, { size }) => {
    vault.chain.benchmark(vault.asset, BigInt(size) * 5n);
  },
};

/** Plays the steps on a fresh vault; each is a block of its own. */
export function played(steps: readonly Step[], observed = true): VaultLog {
  const vault = new VaultLog();
  const { strategy, manager: depositor } = vault;
  vault.transaction(depositor, [['aggregator.UpkeepDeposited', { strategy, depositor, amount: '1000000' }]]);
  if (observed) {
    vault.chain.benchmark(vault.asset, 4_000_000n);
    vault.observe({ upkeep_balance: '1000000' });
  }
  for (const one of steps) {
    vault.at(Math.max(START, vault.chain.time) + one.after);
    does[one.action](vault, one);
  }
  return vault;
}

/** The same steps closer together, with a report after each, so that every day has one. */
export const reportedDaily = (steps: readonly Step[]): Step[] =>
  steps.flatMap((one) => [
    { ...one, after: one.after % (DAY / 2) },
    { ...one, action: 'report' as const, after: DAY / 2 },
  ]);

/** Histories of up to `most` steps; about half of them have been observed since their beginning. */
export const steps = (most: number): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: 1, maxLength: most, size: 'max' });
