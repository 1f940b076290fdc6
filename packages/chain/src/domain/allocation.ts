const PARTS = 1_000_000_000n;

/**
 * Each amount as a fraction of the whole, in parts per billion; what rounding loses goes to the largest remainders, so that
 * the shares add up to 1.
 * @param amounts - Non-negative, in one unit.
 * @returns Fractions in the order given; all null when an amount is unknown or nothing is allocated.
 */
export function allocationShares(amounts: readonly (bigint | null)[]): (number | null)[] {
  const known = amounts.filter((amount): amount is bigint => amount !== null);
  const total = known.reduce((sum, amount) => sum + amount, 0n);
  if (known.length !== amounts.length || total === 0n) return amounts.map(() => null);
  const parts = known.map((amount, index) => ({
    index,
    floor: (amount * PARTS) / total,
    remainder: (amount * PARTS) % total,
  }));
  let missing = PARTS - parts.reduce((sum, part) => sum + part.floor, 0n);
  const byRemainder = [...parts].sort((a, b) => (a.remainder === b.remainder ? 0 : a.remainder > b.remainder ? -1 : 1));
  for (const part of byRemainder) {
    if (missing === 0n) break;
    part.floor += 1n;
    missing -= 1n;
  }
  return parts.map((part) => Number(part.floor) / Number(PARTS));
}
