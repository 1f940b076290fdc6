import { statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ListChains } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { jsonSnapshot, type Snapshot, type Snapshots } from '../cache/snapshots.ts';
import type { GatewayConfig } from '../config.ts';
import { demoWallets } from '../domain/demo-wallets.ts';
import { pagePathOf } from './page-path.ts';
import { createPages, type Encoding, type PagePath, type StartConfig } from './pages.ts';
import type { Limiter } from './rate-limits.ts';
import { allowScripts } from './security.ts';
import { encodingFor, sendPage } from './send-page.ts';
import { addVary } from './vary.ts';

export type WebFallback = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export type WebPorts = {
  config: GatewayConfig;
  callAction: CallAction;
  snapshots: Snapshots;
  /** Pages are limited like other reads, files of the build are not. */
  limit: Limiter;
  now: () => number;
};

const notBuilt =
  'The web app is not built: run "npm start", or build it and set WEB_DIST to its folder.\nThe API is at /api/v1, its description at /docs/api.\n';

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

const vaultPages = [
  '/managed-vaults/:chain/:address',
  '/managed-vaults/:chain/:address/:section',
  '/vaults/:chain/:address',
];

/** Serves the built page: files as they are, and its index for every address the page itself routes. */
export async function registerWebApp(app: FastifyInstance, ports: WebPorts): Promise<WebFallback> {
  const { dist } = ports.config.web;
  await app.register(fastifyStatic, {
    root: dist,
    serve: false,
    cacheControl: false,
    preCompressed: true,
    dotfiles: 'ignore',
  });
  const pages = createPages({ ...ports, readConfig: startConfig(ports) });
  const send =
    (pageIn: (encoding: Encoding) => Promise<Snapshot | undefined>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const encoding = encodingFor(request);
      const page = await request.inContext(() => pageIn(encoding));
      if (page === undefined) return reply.code(503).type('text/plain').send(notBuilt);
      allowScripts(reply, await pages.inlineScripts());
      return sendPage(request, reply, page, encoding);
    };
  const onRequest = [ports.limit];
  app.get('/', { onRequest }, send(pages.home));
  for (const path of vaultPages) {
    app.get<{ Params: PagePath }>(path, { onRequest }, (request, reply) =>
      send((encoding) => pages.vault(request.params, encoding))(request, reply),
    );
  }
  return async (request, reply) => {
    const path = pagePathOf(request.url);
    if (path === undefined) return reply.code(404).type('text/plain').send('There is no such page.\n');
    const hasExtension = extname(path) !== '';
    if (hasExtension && isFile(join(dist, path))) {
      // Names under /assets carry a hash of what is in them.
      const isHashed = path.startsWith('/assets/');
      return addVary(reply, 'Accept-Encoding')
        .header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
        .sendFile(path.slice(1));
    }
    await ports.limit(request, reply);
    if (hasExtension) return reply.code(404).type('text/plain').send('There is no such file.\n');
    return send((encoding) => pages.other(path, encoding))(request, reply);
  };
}

/** The configuration as the page starts with it; read at most once per snapshot age, since every visit needs it. */
function startConfig({ config, callAction, snapshots }: WebPorts): () => Promise<StartConfig> {
  const read = webConfig(config, callAction);
  return async () => {
    const { bytes } = await snapshots.get('config', 'config', async () => jsonSnapshot(await read()));
    return JSON.parse(`${bytes}`) as StartConfig;
  };
}

/** What the page must know of where it runs. Holds nothing secret: demo wallets are published keys of local chains. */
export function webConfig(config: GatewayConfig, callAction: CallAction) {
  return async () => {
    const { chains } = await callAction(ListChains, {});
    return {
      public_url: config.http.publicUrl,
      devnet: config.web.demoWallets,
      chains: chains.map(({ chain_id, slug, name, explorer_url, native_symbol }) => ({
        chain_id,
        slug,
        name,
        rpc_url: config.web.rpcUrls[String(chain_id)] ?? null,
        explorer_url,
        native_symbol,
      })),
      demo_wallets: config.web.demoWallets ? demoWallets : [],
      walletconnect_project_id: config.web.walletConnectProjectId ?? null,
      safe_app_origins: config.web.safeAppOrigins,
    };
  };
}
