/** A run on the vault. `hours` is the time they give; `shock` is the part of the liquidity that sources lose, a fraction. */
export type RunInputs = { holders: number; hours: number; shock: number };

/** How `analyticsRun` is asked about it. */
export const runQuery = ({ holders, hours, shock }: RunInputs) => ({
  top_holders: String(holders),
  hours: String(hours),
  venue_shock: shock.toFixed(2),
});

/** Where the simulator begins. */
export const firstRun: RunInputs = { holders: 3, hours: 24, shock: 0 };

/** Health and summaries ask as the simulator begins, so that all share one answer. */
export const largestLeave = runQuery(firstRun);
