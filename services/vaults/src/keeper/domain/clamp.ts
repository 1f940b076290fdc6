/** The least that must come out, rounded down as the contract compares it. Never nothing, whatever may be lost. */
export function leastOut(expected: bigint, slippageBps: number): bigint {
  const least = (expected * BigInt(10_000 - slippageBps)) / 10_000n;
  return least > 0n ? least : 1n;
}
