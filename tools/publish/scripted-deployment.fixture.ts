import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

const vault = { chain_id: 31337, vault_address: `0x${'22'.repeat(20)}` };

const ofVault = `/api/v1/vaults/31337/${vault.vault_address}`;
type Body = { address?: string; chain_id?: number; replaces?: number; document?: object };

async function bodyOf(request: IncomingMessage): Promise<Body> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : JSON.parse(text);
}

/** What a wallet is asked to sign, as a deployment at `origin` asks for it. */
function challengeOf(origin: string, { address = '', chain_id = 1 }: Body) {
  const fields = ['wallet', 'uri', 'statement', 'nonce', 'issuedAt', 'expirationTime'];
  return {
    siwe_message: `${new URL(origin).host} wants you to sign in with your Ethereum account:\n${address}\n\nURI: ${origin}`,
    typed_data: {
      domain: { name: 'Castellan', version: '1', chainId: chain_id },
      types: { Authentication: fields.map((name) => ({ name, type: 'string' })) },
      primaryType: 'Authentication',
      message: { ...Object.fromEntries(fields.map((name) => [name, ''])), wallet: address, uri: origin },
    },
  };
}

const update = JSON.stringify({ ...vault, kind: 'pps', block_number: 7 });

const answers: Readonly<Record<string, (origin: string, body: Body) => unknown>> = {
  'GET /api/v1/public/vaults': () => [
    {
      ...vault,
      name: 'USDC Core',
      total_assets: '1500000',
      underlying_asset_decimals: 6,
      underlying_asset_symbol: 'USDC',
      newer: 1,
    },
  ],
  [`GET /api/v1/vaults/31337/${vault.vault_address}`]: () => ({
    ...vault,
    name: 'USDC Core',
    total_assets: '1500000',
    asset: { symbol: 'USDC', decimals: 6 },
    current_pps: '1040000',
    current_pps_display: '1.04',
    pps_status: 'fresh',
  }),
  [`GET /api/v1/vaults/31337/${vault.vault_address}/analytics/overview`]: () => ({
    apy: { d7: 0.0847 },
    quality: {},
    receipts: { 'apy.d7': { formula: 'the formula', verify: 'the command' } },
  }),
  'POST /idp/v1/nonce': challengeOf,
  'POST /idp/v1/token': () => ({ access_token: 'token', expires_in: 600 }),
  'POST /idp/v1/logout': () => ({}),
  'POST /api/v1/auth/tokens': () => ({ access_token: 'bound' }),
  'POST /api/v1/notification-channels': () => ({ channel_id: 'ch_1', secret: 'shown-once' }),
  [`POST ${ofVault}/notification-channels`]: () => ({ next_sequence: 4 }),
  [`GET ${ofVault}/mandate/versions`]: () => ({ versions: [{ version: 1 }] }),
  [`PUT ${ofVault}/mandate`]: (_, { replaces = 0, document }) => ({
    version: replaces + 1,
    document,
    document_hash: `0x${'11'.repeat(32)}`,
  }),
  [`POST ${ofVault}/mandate/versions/2/enforce`]: () => ({ in_force_from: 'now' }),
  'GET /api/v1/auth/me': () => ({ vaults: [{ ...vault, role: 'primary_manager' }] }),
  'GET /api/v1/prepared': () => ({ prepared: [{ kind: 'pause', status: 'verified' }], next_cursor: null }),
};

/** A deployment as far as the programs of the SDK's README and of the guides ask it; what it does not know is no vault. */
export async function scriptedDeployment(): Promise<{ url: string; stop: () => void }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const origin = `http://${request.headers.host}`;
    if (pathname.endsWith('/stream')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`id: 1\nevent: pps\ndata: ${update}\n\n`);
      return;
    }
    const answer = answers[`${request.method} ${pathname}`]?.(origin, await bodyOf(request));
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { code: 'VAULT_NOT_FOUND', detail: 'None.' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}
