import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');

/** The bridge's settings from its environment. */
export const BridgeEnvironment = z.object({
  /** Where the MCP endpoint is reached, without its path. */
  CASTELLAN_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => new URL(url))
    // An eavesdropper would have the token.
    .refine((url) => url.protocol === 'https:' || isLoopback(url), 'must be https, unless it is this machine'),
  CASTELLAN_TOKEN: z.string().regex(/^[A-Za-z0-9\-._~+/]+=*$/, 'must be a bearer token'),
});
export type Bridge = { url: URL; token: string };

/** @throws Error naming the variables at fault, and no value. */
export function bridgeOf(env: Readonly<Record<string, string | undefined>>): Bridge {
  const read = BridgeEnvironment.safeParse(env);
  if (!read.success)
    throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  const { CASTELLAN_URL, CASTELLAN_TOKEN } = read.data;
  const base = CASTELLAN_URL.href.replace(/\/+$/, '');
  return { url: new URL(`${base}/mcp`), token: CASTELLAN_TOKEN };
}

const reasons: Readonly<Record<number, string>> = {
  401: 'The token is not valid here, has expired or was ended. Make a new one.',
  403: 'The endpoint refuses this.',
  404: 'There is no MCP endpoint at CASTELLAN_URL.',
  413: 'The message is too large.',
  429: 'Too many requests. Wait a little.',
};

/** Why a message got no answer, in words that hold neither the token nor what the endpoint said. */
function reasonOf(error: unknown): string {
  if (!(error instanceof StreamableHTTPError)) return 'The endpoint at CASTELLAN_URL cannot be reached.';
  return reasons[error.code ?? 0] ?? 'The endpoint could not answer. Try again shortly.';
}

const versionIn = (message: JSONRPCMessage): string | undefined => {
  const version = 'result' in message ? (message.result as { protocolVersion?: unknown }).protocolVersion : undefined;
  return typeof version === 'string' ? version : undefined;
};

/** Hands messages from an agent's standard input on to the endpoint and its answers back; resolves once the input ends. */
export async function runBridge({ url, token }: Bridge, stdio: Transport = new StdioServerTransport()): Promise<void> {
  const http = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${token}` }, redirect: 'error' },
  });
  const ended = new Promise<void>((resolve) => {
    stdio.onclose = resolve;
  });
  http.onmessage = (message) => {
    const version = versionIn(message);
    if (version !== undefined) http.setProtocolVersion(version);
    void stdio.send(message);
  };
  stdio.onmessage = (message) => {
    http.send(message).catch((error: unknown) => {
      if (!('method' in message && 'id' in message)) return;
      void stdio.send({ jsonrpc: '2.0', id: message.id, error: { code: -32_000, message: reasonOf(error) } });
    });
  };
  await http.start();
  await stdio.start();
  await ended;
  await http.close();
}
