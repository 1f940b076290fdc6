import { type VaultSection, vaultSectionPath } from '@castellan/contracts';

export const vaultPath = (chain: string, address: string) => vaultSectionPath(chain, address, 'overview');
export const operatePath = (chain: string, address: string) => `/operate/${chain}/${address}`;

/** Who reads a vault's page: anybody, or those with a role on it. */
export type VaultArea = 'public' | 'operate';
/** All parts of a vault's page under each other, for paper. */
export type VaultView = VaultSection | 'print';

export const dashboardStep = 'dashboard';

/** Below Operate the parts have a step of their own before them: `users`, `strategies` and `feed` are pages there already. */
export function sectionPath(area: VaultArea, chain: string, address: string, view: VaultView): string {
  if (area === 'operate')
    return `${operatePath(chain, address)}${view === 'overview' ? '' : `/${dashboardStep}/${view}`}`;
  return view === 'print' ? `${vaultPath(chain, address)}/print` : vaultSectionPath(chain, address, view);
}

export const usersPath = (chain: string, address: string) => `${operatePath(chain, address)}/users`;
export const mandatePath = (chain: string, address: string) => `${operatePath(chain, address)}/mandate`;
export const settingsPath = (chain: string, address: string) => `${operatePath(chain, address)}/settings`;
export const pausePath = (chain: string, address: string) => `${operatePath(chain, address)}/pause`;
export const redemptionsPath = (chain: string, address: string) => `${operatePath(chain, address)}/redemptions`;
export const yieldSourcesPath = (chain: string, address: string) => `${operatePath(chain, address)}/yield-sources`;
export const merklePath = (chain: string, address: string) => `${operatePath(chain, address)}/merkle`;
export const intentsPath = (chain: string, address: string) => `${operatePath(chain, address)}/intents`;
export const keeperPath = (chain: string, address: string) => `${operatePath(chain, address)}/keeper`;
export const analysisPath = (chain: string, address: string) => `${operatePath(chain, address)}/analysis`;
export const feedPath = (chain: string, address: string) => `${operatePath(chain, address)}/feed`;
/** With a day, the log from that day on, which is for managers. */
export const auditPath = (chain: string, address: string, from?: string) =>
  `${operatePath(chain, address)}/audit${from === undefined ? '' : `?view=log&from=${from}`}`;
export const reviewPath = (id: string) => `/operate/review/${id}`;
export const sessionsPath = '/operate/sessions';
export const alertsPath = '/operate/alerts';
/** The alerts of one vault: the active ones, or the open ones, which somebody may be on. */
export const alertsPathOf = (
  { chain_id, vault_address }: { chain_id: number; vault_address: string },
  status?: 'open',
) => `${alertsPath}?vault=${chain_id}:${vault_address}${status === undefined ? '' : `&status=${status}`}`;

const VAULT_PATH = /^\/(?:operate|managed-vaults)\/([^/]+)\/(0x[0-9a-fA-F]{40})(?:\/|$)/;

/** The vault that a page is about; undefined for any other page. */
export function vaultOfPath(pathname: string): { slug: string; address: string } | undefined {
  const [, slug, address] = VAULT_PATH.exec(pathname) ?? [];
  return slug === undefined || address === undefined ? undefined : { slug, address };
}
