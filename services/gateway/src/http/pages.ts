import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { AppError, isVaultSection, type Route, routes, type VaultDetail } from '@castellan/contracts';
import { type CallAction, etagOf } from '@castellan/service-kit';
import type { Built, Snapshot, Snapshots } from '../cache/snapshots.ts';
import type { GatewayConfig } from '../config.ts';
import { type PageFiles, pageFiles } from './page-files.ts';
import { type PageHead, vaultHead, withCarried, withHead, withPreloads } from './page-head.ts';
import { errorOf } from './problem.ts';
import { allVaults, pagesOf, readShared } from './shared-reads.ts';
import { actionParams, parseParts } from './validate.ts';

/** `section`: a part of the vault's page, or `print` for all of them; none is its overview. */
export type PagePath = { chain: string; address: string; section?: string };
export type StartConfig = { chains: readonly { chain_id: number; slug: string; name: string }[] };
export type Encoding = 'br' | 'gzip' | 'identity';

export type PagePorts = {
  config: GatewayConfig;
  callAction: CallAction;
  snapshots: Snapshots;
  readConfig: () => Promise<StartConfig>;
  now: () => number;
};

type Parts = {
  status?: number;
  head?: PageHead;
  /** What the page takes out again in `web/src/app/carried.ts`. */
  carried?: { config: StartConfig; vaults?: unknown; vault?: VaultDetail };
  /** When the figures it carries were read. */
  readAtMs?: number;
  /** Whether it carries all that it should, and nothing that others must not have. */
  keep?: boolean;
};

/** `path`: its shape, which names the scripts. `key`: which of the pages of that path. `subject`: what its figures are of. */
type Asked = { path: string; key: string; subject: string; encoding: Encoding };

/** A page waits this long for figures to carry; without them it asks for them itself. */
const ANSWER_WITHIN_MS = 700;

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
/** Made again with each change of a figure, so a quality that costs less than it saves on the way. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const vaultRoute = routes.vault as unknown as Route;
const listRoute = routes.publicVaults as unknown as Route;

/** @throws AppError when the address is malformed, or there is no such vault or chain. */
async function readVault(ports: PagePorts, { chains }: StartConfig, { chain, address }: PagePath) {
  const found = chains.find(({ slug, chain_id }) => slug === chain.toLowerCase() || `${chain_id}` === chain);
  if (found === undefined) throw new AppError('CHAIN_NOT_FOUND', 'This chain is not served.');
  // The page takes an address in any case.
  const params = { chain_id: String(found.chain_id), vault_address: address.toLowerCase() };
  const input = actionParams(vaultRoute, parseParts(vaultRoute, { params, query: {}, body: undefined }));
  const { bytes, readAtMs, keep } = await readShared(ports, vaultRoute, input, undefined);
  return { vault: JSON.parse(`${bytes}`) as VaultDetail, chain: found, readAtMs, keep };
}

async function vaultParts(ports: PagePorts, path: PagePath): Promise<Parts> {
  const config = await ports.readConfig();
  const step = path.section === undefined || path.section === 'print' ? 'overview' : path.section;
  if (!isVaultSection(step)) return { status: 404, carried: { config } };
  try {
    const { vault, chain, readAtMs, keep } = await readVault(ports, config, path);
    return {
      head: vaultHead({ vault, chainName: chain.name, section: step }, ports.config.http.publicUrl),
      carried: { config, vault },
      readAtMs,
      keep,
    };
  } catch (error) {
    const { status } = errorOf(error);
    // A service that is away is reported by the page; that there is no such vault is already certain.
    return { status: status === 404 || status === 400 ? 404 : 200, carried: { config } };
  }
}

async function homeParts(ports: PagePorts): Promise<Parts> {
  const [config, list] = await Promise.all([ports.readConfig(), readShared(ports, listRoute, {}, undefined)]);
  const { bytes, readAtMs, keep } = list;
  return { carried: { config, vaults: JSON.parse(`${bytes}`) }, readAtMs, keep };
}

/** The pages of the web app, each with what a visitor's first sight of it needs, so that nothing is asked for in turns. */
export function createPages(ports: PagePorts) {
  const { config, snapshots, readConfig, now } = ports;
  const readFiles = pageFiles(config.web.dist, now);
  const page = async ({ path, key, subject, encoding }: Asked, work: () => Promise<Parts>) => {
    const files = await readFiles();
    if (files === undefined) return undefined;
    // Addresses that no page has are the visitor's to make up: all have the same page, made once for each encoding.
    const shape = scriptsOf(files, path) === undefined ? noPage : path;
    const keyIn = (form: Encoding) => JSON.stringify(['page', files.version, shape, key, form]);
    const plain = () => snapshots.get(keyIn('identity'), subject, () => render(files, shape, work));
    if (encoding === 'identity') return plain();
    return snapshots.get(keyIn(encoding), subject, async () => {
      const { bytes, ...rest } = await plain();
      return { ...rest, bytes: encoding === 'br' ? await brotli(bytes, quality) : await deflate(bytes) };
    });
  };
  return {
    /** What allows the scripts of the page itself in its content policy. */
    inlineScripts: async (): Promise<readonly string[]> => (await readFiles())?.inlineScripts ?? [],
    home: (encoding: Encoding): Promise<Snapshot | undefined> =>
      page({ path: '', key: '', subject: allVaults, encoding }, () => homeParts(ports)),
    vault: (path: PagePath, encoding: Encoding): Promise<Snapshot | undefined> => {
      const { chain, address, section = '' } = path;
      const key = `${`${chain} ${address}`.toLowerCase()} ${section}`;
      return page({ path: 'managed-vaults', key, subject: pagesOf(address), encoding }, () => vaultParts(ports, path));
    },
    other: (path: string, encoding: Encoding): Promise<Snapshot | undefined> =>
      page({ path: shapeOf(path), key: 'other', subject: 'config', encoding }, async () => ({
        carried: { config: await readConfig() },
        keep: true,
      })),
  };
}

/** Stands for every path that the build lists no scripts for. */
const noPage = '*';

const scriptsOf = ({ scripts }: PageFiles, path: string): readonly string[] | undefined =>
  scripts.get(path) ?? scripts.get(path.split('/')[0] ?? '');

/** The first step of a path, and a `*` for each of the next four: pages of one area that differ in nothing else begin with the same scripts. */
function shapeOf(path: string): string {
  const [first = '', ...rest] = path.split('/').filter((step) => step !== '');
  return [first, ...rest.slice(0, 4).map(() => '*')].join('/');
}

/** A page with what its first sight needs. One that lacks figures, or whose vault is not there, is nobody else's. */
async function render(files: PageFiles, path: string, work: () => Promise<Parts>): Promise<Built> {
  const late = new AbortController();
  const none = wait(ANSWER_WITHIN_MS, {} as Parts, { signal: late.signal });
  // Figures are a help here, not a condition: a page comes also while the services behind it are away.
  const parts = await Promise.race([work().catch((): Parts => ({})), none]);
  late.abort();
  const { head, carried, readAtMs, keep = false } = parts;
  const own = scriptsOf(files, path);
  const plain = withPreloads(files.html, own ?? []);
  const full = carried === undefined ? plain : withCarried(plain, carried);
  const bytes = Buffer.from(head === undefined ? full : withHead(full, head));
  const status = parts.status ?? (own === undefined ? 404 : 200);
  return { bytes, etag: etagOf(bytes), status, keep, readAtMs };
}
