import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, GetVault, ListPublicVaults, type Route, routes, type VaultDetail } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import type { Snapshots } from '../cache/snapshots.ts';
import type { GatewayConfig } from '../config.ts';
import { snapshotKeyOf, type VaultParams, vaultKeyOf } from './api-routes.ts';
import { etagOf } from './etag.ts';
import { type PageHead, vaultHead, withCarried, withHead, withPreloads } from './page-head.ts';
import { errorOf } from './problem.ts';
import { actionParams, parseParts } from './validate.ts';

export type Page = { status: number; html: string };
export type PagePath = { chain: string; address: string };
export type StartConfig = { chains: readonly { chain_id: number; slug: string; name: string }[] };

export type PagePorts = {
  config: GatewayConfig;
  callAction: CallAction;
  snapshots: Snapshots;
  readConfig: () => Promise<StartConfig>;
};

type Parts = {
  status?: number;
  head?: PageHead;
  /** What the page takes out again in `web/src/app/carried.ts`. */
  carried?: { config: StartConfig; vaults?: unknown; vault?: VaultDetail };
};

/** A page waits this long for figures to carry; without them it asks for them itself. */
const ANSWER_WITHIN_MS = 700;

const vaultRoute = routes.vault as unknown as Route;

/** The file, or undefined where the web was not built or is being built. */
const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

/**
 * The scripts of the page at a path, as the build lists them by the path's first step.
 * @returns undefined when the build has no such page.
 */
async function scriptsOf(dist: string, path: string): Promise<string[] | undefined> {
  const listed = new Map<string, string[]>(
    Object.entries(JSON.parse((await textOf(join(dist, 'preloads.json'))) ?? '{}') as Record<string, string[]>),
  );
  return listed.get(path.split('/')[1] ?? '');
}

/** @throws AppError when the address is malformed, or there is no such vault or chain. */
async function readVault(ports: PagePorts, { chains }: StartConfig, { chain, address }: PagePath) {
  const found = chains.find(({ slug, chain_id }) => slug === chain.toLowerCase() || `${chain_id}` === chain);
  if (found === undefined) throw new AppError('CHAIN_NOT_FOUND', 'This chain is not served.');
  // The page takes an address in any case.
  const params = { chain_id: String(found.chain_id), vault_address: address.toLowerCase() };
  const input = actionParams(vaultRoute, parseParts(vaultRoute, { params, query: {}, body: undefined })) as VaultParams;
  const { bytes } = await ports.snapshots.get(
    snapshotKeyOf(vaultRoute, undefined, input),
    vaultKeyOf(input),
    async () => {
      const text = JSON.stringify(await ports.callAction(GetVault, input));
      return { bytes: text, etag: etagOf(text) };
    },
  );
  return { vault: JSON.parse(bytes) as VaultDetail, chain: found };
}

async function vaultParts(ports: PagePorts, path: PagePath): Promise<Parts> {
  const config = await ports.readConfig();
  try {
    const { vault, chain } = await readVault(ports, config, path);
    return {
      head: vaultHead(vault, chain.name, ports.config.http.publicUrl),
      carried: { config, vault },
    };
  } catch (error) {
    const { status } = errorOf(error);
    // A service that is away is reported by the page; that there is no such vault is already certain.
    return { status: status === 404 || status === 400 ? 404 : 200, carried: { config } };
  }
}

async function homeParts({ callAction, readConfig }: PagePorts): Promise<Parts> {
  const [config, vaults] = await Promise.all([readConfig(), callAction(ListPublicVaults, {})]);
  return { carried: { config, vaults } };
}

/** The pages of the web app, each with what a visitor's first sight of it needs, so that nothing is asked for in turns. */
export function createPages(ports: PagePorts) {
  const { dist } = ports.config.web;
  const page = async (path: string, work: () => Promise<Parts>): Promise<Page | undefined> => {
    const html = await textOf(join(dist, 'index.html'));
    if (html === undefined) return undefined;
    const late = new AbortController();
    const none = wait(ANSWER_WITHIN_MS, {} as Parts, { signal: late.signal });
    // Figures are a help here, not a condition: a page comes also while the services behind it are away.
    const parts = await Promise.race([work().catch((): Parts => ({})), none]);
    late.abort();
    const { head, carried } = parts;
    const scripts = await scriptsOf(dist, path);
    const plain = withPreloads(html, scripts ?? []);
    const full = carried === undefined ? plain : withCarried(plain, carried);
    const status = parts.status ?? (scripts === undefined ? 404 : 200);
    return { status, html: head === undefined ? full : withHead(full, head) };
  };
  return {
    home: () => page('/', () => homeParts(ports)),
    vault: (path: PagePath) => page('/managed-vaults', () => vaultParts(ports, path)),
    other: (path: string) => page(path, async () => ({ carried: { config: await ports.readConfig() } })),
  };
}
