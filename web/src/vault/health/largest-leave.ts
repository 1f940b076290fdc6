/** What is asked about a run on the vault: as the simulator begins, so that all who show it share the answer. */
export const largestLeave = { top_holders: '3', hours: '24', venue_shock: '0.00' };
