/** Seconds between two prices of a vault, unless a start asks for others. */
export const defaultPriceIntervalSeconds = 60;

/** Below, a price could come due before the transaction of the one before is in a block. */
const least = 5;
/** Below the half of the vaults' maximum staleness, so that one missed price does not make a vault stale. */
const most = 1_800;

/**
 * Reads `DEVNET_PRICE_INTERVAL_SECONDS`: the least time between two prices of a vault.
 * @throws Error that names what is allowed.
 */
export function priceIntervalOf(env: Readonly<Record<string, string | undefined>>): number {
  const text = env.DEVNET_PRICE_INTERVAL_SECONDS;
  if (!text) return defaultPriceIntervalSeconds;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new Error(`DEVNET_PRICE_INTERVAL_SECONDS must be a whole number from ${least} to ${most}, not "${text}".`);
  return value;
}
