import { statSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { ListChains } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { demoWallets } from '../domain/demo-wallets.ts';

export type WebFallback = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

const notBuilt =
  'The web app is not built: run "npm start", or build it and set WEB_DIST to its folder.\nThe API is at /api/v1, its description at /docs.\n';

/** Serves the built page: files as they are, and its index for every address the page itself routes. */
export async function registerWebApp(app: FastifyInstance, { web }: GatewayConfig): Promise<WebFallback> {
  await app.register(fastifyStatic, { root: web.dist, serve: false, cacheControl: false, preCompressed: true });
  const sendIndex = (reply: FastifyReply): FastifyReply => {
    if (!isFile(join(web.dist, 'index.html'))) return reply.code(503).type('text/plain').send(notBuilt);
    return reply.header('cache-control', 'no-cache').header('vary', 'Accept-Encoding').sendFile('index.html');
  };
  return (request, reply) => {
    const path = normalize(decodeURIComponent(request.url.split('?')[0] ?? '/'));
    const hasExtension = extname(path) !== '';
    if (hasExtension && isFile(join(web.dist, path))) {
      // Names under /assets carry a hash of what is in them.
      const isHashed = path.startsWith('/assets/');
      return reply
        .header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
        .header('vary', 'Accept-Encoding')
        .sendFile(path.slice(1));
    }
    if (hasExtension) return reply.code(404).type('text/plain').send('There is no such file.\n');
    return sendIndex(reply);
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
    };
  };
}
