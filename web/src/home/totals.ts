type Counted = {
  tvl_usd: number | null;
  chain_id: number;
  operational_state: string;
  pps_status: string;
};

export type Totals = {
  /** Sum over the priced vaults; null when none is priced. */
  usd: number | null;
  unpriced: number;
  chains: number;
  live: number;
  fresh: number;
};

export function totalsOf(vaults: readonly Counted[]): Totals {
  const priced = vaults.flatMap(({ tvl_usd }) => (tvl_usd === null ? [] : [tvl_usd]));
  return {
    usd: priced.length === 0 ? null : priced.reduce((sum, value) => sum + value, 0),
    unpriced: vaults.length - priced.length,
    chains: new Set(vaults.map(({ chain_id }) => chain_id)).size,
    live: vaults.filter(({ operational_state }) => operational_state === 'live').length,
    fresh: vaults.filter(({ pps_status }) => pps_status === 'fresh').length,
  };
}
