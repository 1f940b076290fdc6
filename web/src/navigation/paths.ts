export const vaultPath = (chain: string, address: string) => `/managed-vaults/${chain}/${address}`;
export const operatePath = (chain: string, address: string) => `/operate/${chain}/${address}`;
/** A section of a vault's public page. */
export const vaultSectionPath = (chain: string, address: string, section: string, search = '') =>
  `${vaultPath(chain, address)}${search}#${section}`;
/** A section of a vault's page in Operate. */
export const operateSectionPath = (chain: string, address: string, section: string) =>
  `${operatePath(chain, address)}#${section}`;
export const usersPath = (chain: string, address: string) => `${operatePath(chain, address)}/users`;
export const settingsPath = (chain: string, address: string) => `${operatePath(chain, address)}/settings`;
export const pausePath = (chain: string, address: string) => `${operatePath(chain, address)}/pause`;
export const yieldSourcesPath = (chain: string, address: string) => `${operatePath(chain, address)}/yield-sources`;
export const merklePath = (chain: string, address: string) => `${operatePath(chain, address)}/merkle`;
export const intentsPath = (chain: string, address: string) => `${operatePath(chain, address)}/intents`;
export const analysisPath = (chain: string, address: string) => `${operatePath(chain, address)}/analysis`;
export const feedPath = (chain: string, address: string) => `${operatePath(chain, address)}/feed`;
export const reviewPath = (id: string) => `/operate/review/${id}`;
export const sessionsPath = '/operate/sessions';
export const alertsPath = '/operate/alerts';

const VAULT_PATH = /^\/(?:operate|managed-vaults)\/([^/]+)\/(0x[0-9a-fA-F]{40})(?:\/|$)/;

/** The vault that a page is about; undefined for any other page. */
export function vaultOfPath(pathname: string): { slug: string; address: string } | undefined {
  const [, slug, address] = VAULT_PATH.exec(pathname) ?? [];
  return slug === undefined || address === undefined ? undefined : { slug, address };
}
