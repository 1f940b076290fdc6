import { decodeReport } from '../../../src/plugin/report.ts';
import { signedOf } from '../../../src/plugin/signatures.ts';
import { type AdversaryName, adversaries, type Cast, type Play } from './adversaries.ts';
import { createPriceWorld, type PriceWorld, type Vault } from './price-world.ts';
import { prng } from './prng.ts';

export type { AdversaryName } from './adversaries.ts';

export const sizes = [4, 7, 10] as const;
export const adversaryNames = Object.keys(adversaries) as AdversaryName[];

export type PriceOutcome = { violations: string[]; about: string; stored: number };

/** By seed: every adversary meets every size in turn. */
export const castOf = (seed: number): { n: number; adversary: AdversaryName } => ({
  adversary: adversaryNames[seed % adversaryNames.length] as AdversaryName,
  n: sizes[Math.floor(seed / adversaryNames.length) % sizes.length] as number,
});

/** Nobody honest signs two reports of a round, or two prices of a nonce and time. */
function signedTwice({ signed }: PriceWorld, { isEvil }: Cast): string[] {
  return signed.flatMap((own, index) => {
    if (isEvil(index)) return [];
    const seen = new Map<string, string>();
    const note = (key: string, value: string) => {
      const before = seen.get(key);
      seen.set(key, before ?? value);
      return before === undefined || before === value ? [] : [`node ${index} signs two of ${key}`];
    };
    return own.flatMap(({ epoch, round, report, signature }) => {
      const entries = decodeReport(report);
      const isSigned = signedOf(signature, entries.length) ?? [];
      return [
        ...note(`round ${epoch}:${round}`, Buffer.from(report).toString('hex')),
        ...entries
          .filter((_, entry) => isSigned[entry])
          .flatMap(({ strategy, nonce, timestamp, pps }) => note(`price ${strategy}:${nonce}:${timestamp}`, `${pps}`)),
      ];
    });
  });
}

/** What is stored is what the vault was worth a moment before. */
function wrongPrices({ stored }: PriceWorld, vaults: readonly Vault[]): string[] {
  const recent = Array.from({ length: 20 }, (_, seconds) => seconds);
  return stored.flatMap(({ strategy, at, pps }) => {
    const vault = vaults.find((each) => each.strategy === strategy);
    const worth = recent.map((ago) => vault?.value(Math.max(0, Math.floor(at / 1_000) - ago)));
    return worth.includes(pps) ? [] : [`${strategy} is stored at ${pps}`];
  });
}

const wronglyNamed = (world: PriceWorld, { isEvil }: Cast): string[] =>
  world.oracles.flatMap((_, index) =>
    world
      .evidenceOf(index)
      .flatMap(({ oracle }) => (isEvil(oracle) ? [] : [`node ${index} has evidence against ${oracle}`])),
  );

function late(world: PriceWorld, { onTime, most }: Play): string[] {
  return onTime.flatMap((vault) => {
    const gap = world.worstGap(vault);
    return gap > most ? [`${vault.strategy} had no price for ${gap} ms, ${most} at most`] : [];
  });
}

/** One network of real plugins and real guards against one adversary, on virtual time. */
export async function simulatePrices(
  seed: number,
  { n, adversary }: { n: number; adversary: AdversaryName } = castOf(seed),
  isDisarmed = false,
): Promise<PriceOutcome> {
  const random = prng(seed);
  const f = Math.floor((n - 1) / 3);
  const first = random.int(0, n - 1);
  const hasNodes = adversary === 'echo flooder' || adversary === 'equivocator';
  const evil = hasNodes ? Array.from({ length: f }, (_, i) => (first + i) % n) : [];
  const cast: Cast = { n, f, seed, random, evil, isEvil: (index) => evil.includes(index) };
  const play = adversaries[adversary](cast, isDisarmed);
  const world = createPriceWorld({ ...play.choices, vaults: play.vaults, n, seed });
  await world.start();
  await play.act?.(world);
  await world.pass(play.seconds * 1_000 - world.scheduler.now());
  return {
    violations: [
      ...late(world, play),
      ...signedTwice(world, cast),
      ...wrongPrices(world, play.vaults),
      ...wronglyNamed(world, cast),
      ...(play.check?.(world) ?? []),
    ],
    about: `n=${n}, ${adversary}${evil.length > 0 ? ` (${evil.join()})` : ''}`,
    stored: world.stored.length,
  };
}
