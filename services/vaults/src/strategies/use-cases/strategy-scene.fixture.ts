/** A vault with one source, its primary manager, and a strategy of his, for tests of what people do with strategies. */

export const [vault, wallet, source] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
];
export const vaultRef = { chain_id: 1, vault_address: vault };
export const caller = { wallet_address: wallet, sid: 'test', issuer: 'test' };
export const call = { caller, requestId: undefined } as never;
export const snapshot = {
  chain_id: 1,
  vault,
  detail: {
    vault_address: vault,
    asset: { symbol: 'USDC', decimals: 6 },
    symbol: 'cUSDC',
    vault_share_decimals: 6,
    allocation: [{ kind: 'source', source_address: source, name: 'Morpho Prime' }],
  },
  managers: { primary: { wallet }, secondary: [] },
};
export const definition = {
  name: 'Test',
  indicators: [],
  rules: { type: 'EXPR', expr: 'true' },
  conviction_config: { mode: 'BINARY', required_ticks: 1 },
  action_config: {
    ...{ action: 'DEPOSIT', size_expr: '1', target_address: source, execution_address: source, from_address: null },
    max_slippage_bps: 9_000,
  },
  risk_params: { max_amount: null, min_free_assets: null },
  max_concurrent: 1,
  cooldown_ms: 0,
};
export const facts = {
  ...{ block_number: 1, block_hash: '0x', block_time: 0, free: '1', tvl: '1', supply: '1', pps: '1' },
  ...{ pps_precision: '1', queue_count: 0, queue_shares: '0', price: null, sources: [] },
};
