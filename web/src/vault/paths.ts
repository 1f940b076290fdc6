export const vaultPath = (chain: string, address: string) => `/managed-vaults/${chain}/${address}`;
export const operatePath = (chain: string, address: string) => `/operate/${chain}/${address}`;
export const usersPath = (chain: string, address: string) => `${operatePath(chain, address)}/users`;
