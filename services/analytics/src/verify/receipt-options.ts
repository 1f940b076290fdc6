/** What `verify receipt` is asked by, but for where the answers are. */
export const receiptOptions = {
  chain: { value: 'ID', summary: 'of the vault whose figure it is' },
  vault: { value: '0x...', summary: 'its address' },
  block: { value: 'N', summary: 'of which block; else the last one' },
  at: { value: 'TIME', summary: 'of which time instead, such as 2026-11-20T14:05:00Z' },
  read: { value: 'PATH', summary: 'of which read, such as overview, risk/drawdown, compare or export/fees' },
  figure: { value: 'PATH', summary: 'which figure, such as apy.d7' },
  query: { value: 'QUERY', summary: "the read's other parameters, such as period=90d" },
  all: { summary: 'every figure of the read; without --read, of every read, a comparison and the files' },
  file: { value: 'FILE', summary: 'a saved answer, or one receipt, instead of asking' },
  rpc: { value: 'URL', summary: 'computes it from the logs and receipts of this node too, without the database' },
  deployment: {
    value: 'FILE',
    summary:
      'deployment.json of a local chain, that of npm start is .castellan/devnet/deployment.json; else DEVNET_DEPLOYMENT_FILE',
  },
  chains: {
    value: 'JSON',
    summary: 'chains as the vaults service reads them, or a file of it; else CHAINS; 1 and 8453 need none',
  },
  benchmarks: {
    value: 'JSON',
    summary: "benchmarks of the operator's own, or a file of it, for what --rpc computes; else BENCHMARKS",
  },
  json: { summary: 'what came of each figure as JSON; what is said besides goes to standard error' },
} as const;
