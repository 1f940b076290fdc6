const periods = ['30d', '7d', 'all', '24h', '90d', '1y'] as const;
const series = { points: '2000' };
const few = { points: '40' };

export type Read = { path: string; query: Record<string, string> };

/** Every analytics read of one moment. The period changes from moment to moment, so that each read is asked for all of them. */
export function readsOf(index: number): Read[] {
  const period = periods[index % periods.length] as string;
  const ranged = { period };
  return [
    { path: 'overview', query: {} },
    { path: 'performance', query: ranged },
    { path: 'pps', query: { ...ranged, ...series } },
    { path: 'pps/what-if', query: {} },
    { path: 'performance/benchmark', query: { ...ranged, ...few } },
    { path: 'performance/bridge', query: ranged },
    { path: 'performance/apy', query: { ...ranged, ...few } },
    { path: 'performance/tvl', query: { ...ranged, ...series } },
    { path: 'allocation', query: { ...ranged, ...series } },
    { path: 'risk', query: {} },
    { path: 'risk/concentration', query: {} },
    { path: 'risk/drawdown', query: { ...ranged, ...series } },
    { path: 'risk/volatility', query: { ...ranged, ...few } },
    {
      path: 'risk/run',
      query: { top_holders: `${1 + (index % 10)}`, hours: '24', venue_shock: index % 2 ? '0.25' : '0' },
    },
    {
      path: 'risk/scenarios',
      query: {
        shocks: 'loss:0.35:largest,loss:0.8:all,depeg:0.05,oracle_stop:20,run:7,gas:10',
        top_holders: `${1 + (index % 5)}`,
      },
    },
    { path: 'users', query: {} },
    { path: 'users/retention', query: { interval: index % 2 ? 'month' : 'week' } },
    { path: 'users/cohorts', query: { interval: index % 2 ? 'month' : 'week' } },
    // Account 10 of the local chain, the first depositor.
    { path: 'users/position', query: { wallet: '0xBcd4042DE499D14e55001CcbB24a551F3b954096' } },
    { path: 'users/top', query: { limit: '500' } },
    { path: 'operations', query: ranged },
    { path: 'operations/transactions', query: { ...ranged, limit: '500' } },
    { path: 'operations/redemptions', query: { limit: '500' } },
    { path: 'operations/volume', query: { ...ranged, ...few } },
    { path: 'fees', query: { ...ranged, limit: '500' } },
  ];
}
