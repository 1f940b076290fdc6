import { z } from 'zod';
import { Address, ChainIdParam, CursorParam, IsoTime, LimitParam } from '../primitives.ts';
import { route } from '../route.ts';
import { GetAnalysis } from './analysis.ts';
import { DeleteConversation, GetConversation, ListConversations } from './chat.ts';
import { CreatePost, DeletePost, EditPost, FeedKind, FeedSeverity, ListFeed, PostBody, PostTitle } from './feed.ts';

const none = z.strictObject({});
const feedPath = '/api/v1/vaults/{chain_id}/{vault_address}/analytics/social';
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });
const postPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address, id: z.string().min(1).max(100) });
const conversation = z.strictObject({ id: z.string().min(1).max(100) });

/** Routes of the analysis, the feed and the conversations. */
export const ai = {
  /** @example const { sections } = await client.analysis({ params: { vault_address }, query: { chain_id: '1' } }); */
  analysis: route({
    id: 'analysis',
    method: 'GET',
    path: '/api/v1/vaults/{vault_address}/ai/analysis',
    auth: 'bearer',
    params: z.strictObject({ vault_address: Address }),
    query: z.strictObject({
      chain_id: ChainIdParam,
      refresh: z
        .enum(['true', 'false'])
        .default('false')
        .transform((value) => value === 'true'),
    }),
    body: undefined,
    result: GetAnalysis.result,
    action: GetAnalysis,
    cache: 'etag',
  }),
  /** @example const { items } = await client.feed({ params: vault, query: { severity: 'warning' } }); */
  feed: route({
    id: 'feed',
    method: 'GET',
    path: feedPath,
    auth: 'optional',
    params: vaultPath,
    query: z.strictObject({
      kind: FeedKind.optional(),
      severity: FeedSeverity.optional(),
      from: IsoTime.optional(),
      to: IsoTime.optional(),
      limit: LimitParam.optional(),
      cursor: CursorParam.optional(),
    }),
    body: undefined,
    result: ListFeed.result,
    action: ListFeed,
    cache: 'etag',
    sharing: { with: 'caller', from: 'vault' },
    staleMs: 1_000,
  }),
  /**
   * @example
   * const post = { title: 'New source', body: 'We added a lending market.' };
   * await client.createPost({ params: vault, body: post });
   */
  createPost: route({
    id: 'createPost',
    method: 'POST',
    path: feedPath,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: z.strictObject({ title: PostTitle, body: PostBody, severity: FeedSeverity.optional() }),
    result: CreatePost.result,
    status: 201,
    action: CreatePost,
  }),
  /** @example await client.editPost({ params: { ...vault, id }, body: { version: 1, title: 'Two new sources' } }); */
  editPost: route({
    id: 'editPost',
    method: 'PATCH',
    path: `${feedPath}/{id}`,
    auth: 'bearer',
    params: postPath,
    query: none,
    body: z.strictObject({
      version: z.int().positive(),
      title: PostTitle.optional(),
      body: PostBody.optional(),
      severity: FeedSeverity.optional(),
    }),
    result: EditPost.result,
    action: EditPost,
  }),
  /** @example await client.deletePost({ params: { ...vault, id } }); */
  deletePost: route({
    id: 'deletePost',
    method: 'DELETE',
    path: `${feedPath}/{id}`,
    auth: 'bearer',
    params: postPath,
    query: none,
    body: undefined,
    result: z.null(),
    status: 204,
    action: DeletePost,
    toAnswer: () => ({ status: 204, body: null }),
  }),
  /** @example const { conversations } = await client.conversations({ query: vault }); */
  conversations: route({
    id: 'conversations',
    method: 'GET',
    path: '/api/v1/ai/conversations',
    auth: 'bearer',
    params: none,
    query: z.strictObject({
      chain_id: ChainIdParam.optional(),
      vault_address: Address.optional(),
      limit: LimitParam.optional(),
      cursor: CursorParam.optional(),
    }),
    body: undefined,
    result: ListConversations.result,
    action: ListConversations,
    cache: 'etag',
  }),
  /** @example const { messages } = await client.conversation({ params: { id } }); */
  conversation: route({
    id: 'conversation',
    method: 'GET',
    path: '/api/v1/ai/conversations/{id}',
    auth: 'bearer',
    params: conversation,
    query: none,
    body: undefined,
    result: GetConversation.result,
    action: GetConversation,
    cache: 'etag',
  }),
  /** @example await client.deleteConversation({ params: { id } }); */
  deleteConversation: route({
    id: 'deleteConversation',
    method: 'DELETE',
    path: '/api/v1/ai/conversations/{id}',
    auth: 'bearer',
    params: conversation,
    query: none,
    body: undefined,
    result: z.null(),
    status: 204,
    action: DeleteConversation,
    toAnswer: () => ({ status: 204, body: null }),
  }),
};
