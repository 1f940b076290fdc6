/**
 * Parts of a vault's page by the last step of their address, in the reader's order: state, money, price, risk, people, work. The
 * overview is the page itself and has no step of its own.
 */
export const vaultSections = {
  overview: 'Overview',
  allocation: 'Allocation',
  pricing: 'PPS & Pricing',
  fees: 'Fees & Upkeep',
  managers: 'Managers',
  performance: 'Performance',
  risk: 'Risk',
  users: 'Users',
  operations: 'Operations',
  strategies: 'Strategies',
  feed: 'Feed',
} as const;

/** A part of a vault's page. */
export type VaultSection = keyof typeof vaultSections;

/** Whether a step of an address names a part of a vault's page. */
export const isVaultSection = (step: string): step is VaultSection => Object.hasOwn(vaultSections, step);

/**
 * Path of a part of a vault's public page.
 * @param chainSlug - As `GET /chains` lists it.
 * @param address - The vault's, EIP-55.
 */
export const vaultSectionPath = (chainSlug: string, address: string, section: VaultSection): string =>
  `/managed-vaults/${chainSlug}/${address}${section === 'overview' ? '' : `/${section}`}`;
