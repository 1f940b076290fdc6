/** The public test mnemonic of local chains; its keys guard nothing. */
export const devnetMnemonic = 'test test test test test test test test test test test junk';

export const demoWallets = [
  { index: 1, role: 'primary manager of all vaults' },
  { index: 2, role: 'secondary manager' },
  { index: 4, role: 'view-only' },
  { index: 50, role: 'no role' },
] as const;
