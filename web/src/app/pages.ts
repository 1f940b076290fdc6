import { matchPath } from 'react-router';
import { dashboardStep, vaultPath } from '../navigation/paths.ts';
import { type LoadedPage, pageOf } from './page-of.tsx';

export const home = pageOf(async () => (await import('../home/home-page.tsx')).HomePage);
export const compare = pageOf(async () => (await import('../compare/compare-page.tsx')).ComparePage);
export const publicVault = pageOf(async () => (await import('../vault-page/public-page.tsx')).PublicVaultPage);
export const validators = pageOf(async () => (await import('../validators/validators-page.tsx')).ValidatorsPage);
export const validatorHistory = pageOf(
  async () => (await import('../validators/history/history-page.tsx')).ValidatorHistoryPage,
);
export const round = pageOf(async () => (await import('../validators/history/round-page.tsx')).RoundPage);
export const operateShell = pageOf(async () => (await import('../operate/operate.tsx')).OperateShell);
export const desk = pageOf(async () => (await import('../desk/desk-page.tsx')).DeskPage);
export const vaultShell = pageOf(async () => (await import('../operate/vault-shell.tsx')).VaultShell);
export const operateVault = pageOf(async () => (await import('../operate/operate-vault.tsx')).OperateVault);
export const operatePages = pageOf(async () => (await import('../operate/operate-pages.tsx')).OperatePages);
export const alerts = pageOf(async () => (await import('../alerts/alerts-page.tsx')).AlertsPage);
export const review = pageOf(async () => (await import('../calls/review-page.tsx')).ReviewPage);
export const sessions = pageOf(async () => (await import('../sessions/sessions-page.tsx')).SessionsPage);

/** What the addresses that people arrive at show first. */
const arrivals: readonly (readonly [pattern: string, pages: readonly LoadedPage[]])[] = [
  ['/', [home]],
  ['/compare', [compare]],
  ['/validators', [validators]],
  ['/managed-vaults/:chainName/:vaultAddress/:section?', [publicVault]],
  ['/operate', [operateShell, desk]],
  ['/operate/review/:id', [operateShell, review]],
  ['/operate/:chainName/:vaultAddress', [operateShell, vaultShell, operateVault]],
  [`/operate/:chainName/:vaultAddress/${dashboardStep}/:section`, [operateShell, vaultShell, operateVault]],
];

/** Where the page stands that an address means: other products of this field give a vault a shorter one. */
export function presentPath(pathname: string): string {
  const { chainName, vaultAddress } = matchPath('/vaults/:chainName/:vaultAddress', pathname)?.params ?? {};
  return chainName && vaultAddress ? vaultPath(chainName, vaultAddress) : pathname;
}

/** On a line this slow, that the page is loading is better than nothing. */
const mostMs = 2_000;

/**
 * Loads what an address shows, so that the first thing drawn is the page and not that it is loading. What cannot be loaded is tried again,
 * and reported, when it is drawn.
 */
export async function loadArrival(pathname: string): Promise<void> {
  const pages = arrivals.find(([pattern]) => matchPath(pattern, pathname) !== null)?.[1] ?? [];
  const late = new Promise((resolve) => setTimeout(resolve, mostMs));
  await Promise.race([Promise.allSettled(pages.map(({ load }) => load())), late]);
}
