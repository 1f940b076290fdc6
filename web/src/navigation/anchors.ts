/** Parts of a vault's page that bring themselves into view when an address names them. */
export const anchors = {
  timeMachine: 'time-machine',
  comparison: 'compare-moment',
  report: 'report',
  transactions: 'transactions',
} as const;
