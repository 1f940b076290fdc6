import { fileURLToPath } from 'node:url';
import type { PublicVault } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { baseUrl, signIn, until } from '../../system/actors.ts';
import { type ChatClient, openChat, wordsOf } from '../../system/chat-client.ts';
import { keeperMs } from '../../system/patience.ts';

/** Analysis, feed, chat and agents on the running system, as the built-in analyst gives them. */

type Api = Awaited<ReturnType<typeof signIn>>['client'];
type Signed = Awaited<ReturnType<typeof signIn>>;

let core: PublicVault;
let manager: Signed;
let secondary: Signed;
let stranger: Signed;
const chats: ChatClient[] = [];

const vaultPath = () => ({ chain_id: String(core.chain_id), vault_address: core.vault_address });
const vaultRef = () => ({ chain_id: core.chain_id, vault_address: core.vault_address });
const anonymous = () => createClient({ baseUrl: baseUrl() });

beforeAll(async () => {
  const vaults = await anonymous().publicVaults({});
  core = vaults.find(({ name }) => name === 'USDC Core') as PublicVault;
  [manager, secondary, stranger] = await Promise.all([signIn(1), signIn(2), signIn(50)]);
});

afterAll(() => {
  for (const chat of chats) chat.close();
});

/** What the API answers for the first part of a citation's path, at the block of the analysis. */
function readsAt(block: number): Record<string, () => Promise<unknown>> {
  const moment = { block: String(block) };
  const params = vaultPath();
  const { client } = manager;
  return {
    overview: () => client.analyticsOverview({ params, query: moment }),
    performance: () => client.analyticsPerformance({ params, query: moment }),
    risk: () => client.analyticsRisk({ params, query: moment }),
    users: () => client.analyticsUsers({ params, query: moment }),
    operations: () => client.analyticsOperations({ params, query: moment }),
    fees: () => client.analyticsFees({ params, query: { ...moment, period: 'all' } }),
    pps: () => client.analyticsPps({ params, query: { ...moment, points: '2' } }),
    'pps/what-if': () => client.analyticsPpsWhatIf({ params, query: moment }),
    'risk/drawdown': () => client.analyticsDrawdown({ params, query: { ...moment, points: '2', period: '90d' } }),
  };
}

const valueAt = (answer: unknown, path: readonly string[]): unknown =>
  path.reduce((inside, key) => (inside as Record<string, unknown> | undefined)?.[key], answer);

describe('analysis', () => {
  test('behavior: five sections, each citation the value that analytics give at that block', async () => {
    const query = { chain_id: String(core.chain_id) };
    const analysis = await until('the analysis', () =>
      manager.client
        .analysis({ params: { vault_address: core.vault_address }, query })
        .catch((error: { code?: string }) => {
          // A caller that asks while it is written gets NOT_READY.
          if (error.code !== 'NOT_READY') throw error;
          return undefined;
        }),
    );
    expect(analysis.provider).toBe('built-in');
    expect(analysis.ungrounded_figures).toEqual([]);
    expect(analysis.sections.map(({ id }) => id)).toEqual([
      ...['performance', 'risk', 'yield_sources', 'fees', 'liquidity'],
    ]);
    const reads = readsAt(analysis.block_number);
    const answers = new Map<string, Promise<unknown>>();
    let compared = 0;
    for (const { id, narrative, citations } of analysis.sections) {
      expect([id, narrative.length > 80, citations.length > 0]).toEqual([id, true, true]);
      for (const { path, value } of citations) {
        const [name = '', ...rest] = path.split('.');
        const read = reads[name];
        // The detail of the vault and its transmissions know only the present.
        if (read === undefined) {
          expect(['vault', 'transmissions']).toContain(name);
          continue;
        }
        const answer = await (answers.get(name) ?? answers.set(name, read()).get(name));
        expect([path, valueAt(answer, rest)]).toEqual([path, value]);
        compared += 1;
      }
    }
    // Five sections of at most 120 words each.
    expect(compared).toBeGreaterThan(25);
  });

  test('error: 403 without a role, 401 without a token', async () => {
    const asked = {
      params: { vault_address: core.vault_address },
      query: { chain_id: String(core.chain_id) },
    };
    await expect(stranger.client.analysis(asked)).rejects.toMatchObject({ status: 403, code: 'ROLE_REQUIRED' });
    await expect(anonymous().analysis(asked)).rejects.toMatchObject({ status: 401, code: 'TOKEN_MISSING' });
  });
});

describe('feed', () => {
  const page = (client: Api, query: Parameters<Api['feed']>[0]['query'] = {}) =>
    client.feed({ params: vaultPath(), query });

  test('behavior: a post is written, edited, taken back, and audited; a stranger may not', async () => {
    const { client } = manager;
    const params = vaultPath();
    const body = { title: 'Maintenance', body: 'Tonight from 22:00 UTC.' };
    await expect(stranger.client.createPost({ params, body })).rejects.toMatchObject({
      status: 403,
      code: 'ROLE_REQUIRED',
    });
    await expect(anonymous().createPost({ params, body })).rejects.toMatchObject({ status: 401 });
    const post = await client.createPost({ params, body });
    const read = async () => (await page(anonymous(), { kind: 'post' })).items.find(({ id }) => id === post.id);
    expect(await read()).toMatchObject({ ...body, severity: 'info', version: 1 });
    const place = { ...params, id: post.id };
    const edit = (by: Api, version: number) => by.editPost({ params: place, body: { version, title: 'Done' } });
    await expect(edit(stranger.client, 1)).rejects.toMatchObject({ status: 403 });
    expect(await edit(client, 1)).toMatchObject({ title: 'Done', version: 2 });
    await expect(edit(client, 1)).rejects.toMatchObject({ status: 409, code: 'VERSION_CONFLICT' });
    await expect(stranger.client.deletePost({ params: place })).rejects.toMatchObject({ status: 403 });
    await client.deletePost({ params: place });
    expect(await read()).toBeUndefined();
    const query = { vault_address: core.vault_address, chain_id: String(core.chain_id), limit: '100' };
    await until('three rows of the post in the audit log', async () => {
      const { logs } = await client.auditLogs({ query });
      const types = logs.filter(({ details }) => details.post_id === post.id).map(({ action_type }) => action_type);
      return ['post_created', 'post_edited', 'post_deleted'].every((type) => types.includes(type as never));
    });
  });
});

const open = async (token: string): Promise<ChatClient> => {
  const chat = await openChat(baseUrl(), token);
  chats.push(chat);
  return chat;
};
const asked = (message: string, more: object = {}) => ({ ...vaultRef(), message, ...more });

describe('chat through the gateway', () => {
  test('behavior: tokens without a gap, the tool that was asked, and citations at the end; then it is history', async () => {
    const chat = await open(secondary.token);
    const ids = await chat.ask(asked('What happened lately?'));
    expect(await chat.next('chat:tool', ids)).toMatchObject({ name: 'get_timeline', ok: true });
    const done = await chat.next('chat:done', ids);
    expect(done).toMatchObject({ status: 'complete', ungrounded_figures: [] });
    expect(done.citations).not.toHaveLength(0);
    const tokens = chat.tokensOf(ids.message_id);
    expect(tokens.map(({ seq }) => seq)).toEqual(tokens.map((_, place) => place));
    expect(tokens).toHaveLength(Number(done.tokens));

    const listed = await secondary.client.conversations({ query: {} });
    const conversation = listed.conversations.find(({ id }) => id === ids.conversation_id);
    expect(conversation).toMatchObject({ title: 'What happened lately?' });
    const params = { id: ids.conversation_id };
    const { messages } = await secondary.client.conversation({ params });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(messages[1]).toMatchObject({ text: wordsOf(tokens), status: 'complete', citations: done.citations });

    await expect(manager.client.conversation({ params })).rejects.toMatchObject({ status: 404 });
    await expect(manager.client.deleteConversation({ params })).rejects.toMatchObject({ status: 404 });
    const foreign = await open(manager.token);
    foreign.send('chat:send', asked('And now?', { conversation_id: ids.conversation_id }));
    expect(await foreign.next('chat:error')).toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
    foreign.send('chat:resume', { ...ids, after_seq: -1 });
    expect(await foreign.next('chat:error')).toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
    expect(foreign.tokensOf(ids.message_id)).toEqual([]);

    await secondary.client.deleteConversation({ params });
    await expect(secondary.client.conversation({ params })).rejects.toMatchObject({ status: 404 });
  });

  test('behavior: cut off in the middle, the rest comes on another connection, nothing lost and nothing twice', async () => {
    const first = await open(secondary.token);
    const ids = await first.ask(asked('Summarise this vault.'));
    await first.next('chat:token', ids);
    first.close();
    const seen = first.tokensOf(ids.message_id);
    const second = await open(secondary.token);
    second.send('chat:resume', { ...ids, after_seq: (seen.at(-1)?.seq ?? -1) as number });
    const done = await second.next('chat:done', ids);
    const all = [...seen, ...second.tokensOf(ids.message_id)];
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: Number(done.tokens) }, (_, place) => place));
  });

  test('behavior: stopped, it ends as stopped and what came is kept', async () => {
    const chat = await open(secondary.token);
    // The built-in analyst is fast: on a busy machine the answer is there now and then before the stop is heard.
    const ids = await until(
      'an answer that was stopped',
      async () => {
        const started = await chat.ask(asked('Compare the last week with the week before.'), (begun) =>
          chat.send('chat:stop', begun),
        );
        const { status } = await chat.next('chat:done', started);
        expect(['stopped', 'complete']).toContain(status);
        return status === 'stopped' && started;
      },
      keeperMs,
    );
    const { messages } = await secondary.client.conversation({ params: { id: ids.conversation_id } });
    expect(messages[1]).toMatchObject({ status: 'stopped', text: wordsOf(chat.tokensOf(ids.message_id)) });
  });

  test('error: without a role it is refused, without a token there is no connection', async () => {
    const refused = await open(stranger.token);
    refused.send('chat:send', asked('How is the risk?'));
    expect(await refused.next('chat:error')).toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(openChat(baseUrl(), undefined)).rejects.toMatchObject({ data: { code: 'TOKEN_MISSING' } });
  });

  test('error: a session that is ended gets an error and is disconnected', async () => {
    const own = await signIn(2);
    const chat = await open(own.token);
    await own.client.logout({});
    expect(await chat.next('chat:error')).toMatchObject({ code: 'TOKEN_REVOKED' });
    await chat.next('disconnect');
    await expect(openChat(baseUrl(), own.token)).rejects.toMatchObject({ data: { code: 'TOKEN_REVOKED' } });
  });
});

describe('agents over MCP', () => {
  const mcpUrl = () => baseUrl();
  const bridge = fileURLToPath(new URL('../../../services/ai/bin/castellan-mcp.ts', import.meta.url));
  const tokenOf = async (scope: 'read' | 'prepare') => {
    const body = { name: `Agent ${scope}`, scope, vault: vaultRef(), expires_in_seconds: 600 };
    return (await manager.client.createScopedToken({ body })).access_token;
  };
  const http = (token: string) =>
    new StreamableHTTPClientTransport(new URL(`${mcpUrl()}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }) as Transport;
  const stdio = (token: string) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [bridge],
      stderr: 'ignore' as const,
      env: { PATH: process.env.PATH ?? '', CASTELLAN_URL: mcpUrl(), CASTELLAN_TOKEN: token },
    });
  async function within(transport: Transport, use: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ name: 'e2e', version: '1' });
    await client.connect(transport);
    await use(client).finally(() => client.close());
  }
  const call = async (client: Client, name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

  test('behavior: a token of scope read reads and cannot prepare; one of scope prepare can', async () => {
    const change = () => ({ ...vaultRef(), kind: 'set_deviation_threshold', args: { deviation_threshold_bps: 4_200 } });
    await within(http(await tokenOf('read')), async (client) => {
      expect(await namesOf(client)).not.toContain('prepare_change');
      const read = await call(client, 'get_overview', vaultRef());
      const { figures } = read.structuredContent as { figures: { path: string }[] };
      expect(figures.map(({ path }) => path)).toContain('overview.tvl_usd');
      const refused = await call(client, 'prepare_change', change());
      expect([refused.isError, JSON.stringify(refused.content)]).toEqual([
        true,
        expect.stringContaining('SCOPE_REQUIRED'),
      ]);
    });
    await within(http(await tokenOf('prepare')), async (client) => {
      const prepared = await call(client, 'prepare_change', change());
      expect(prepared.isError).toBeUndefined();
      expect(JSON.stringify(prepared.content)).toContain('/operate/review/');
    });
    await expect(within(http('nothing'), async () => undefined)).rejects.toThrow(/401|TOKEN_INVALID/);
  });

  test('behavior: the bridge lists the tools over standard input and output, and calls one', async () => {
    await within(stdio(await tokenOf('read')), async (client) => {
      expect(await namesOf(client)).toContain('get_vault');
      const { structuredContent } = await call(client, 'get_vault', vaultRef());
      expect(JSON.stringify(structuredContent)).toContain('USDC Core');
    });
  });
});
