import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Hash, IsoTime, joinedEmoji, listOf, NamedWallet } from '../primitives.ts';

/** What a post is about; `post` is written by a manager, the others are made from events. */
export const feedKinds = [
  'post',
  'large_deposit',
  'large_withdrawal',
  'price_anomaly',
  'skim',
  'pause',
  'role_change',
  'source_change',
  'setting_change',
  'upkeep',
] as const;
/** What kind of event an item is of. */
export const FeedKind = z.enum(feedKinds);
/** How much an item matters, from least to most. */
export const feedSeverities = ['info', 'notice', 'warning', 'critical'] as const;
/** One of `feedSeverities`. */
export const FeedSeverity = z.enum(feedSeverities);

/** One item of a vault's operator feed. `body` of a post is text its author wrote: never trusted, never rendered as HTML. */
export const FeedItem = z.object({
  id: z.string(),
  t: IsoTime,
  kind: FeedKind,
  title: z.string(),
  body: z.string(),
  author: NamedWallet.nullable(),
  severity: FeedSeverity,
  links: z.array(z.object({ label: z.string(), url: z.string() })),
  metrics: z.record(z.string(), z.union([z.number(), z.string(), z.null()])),
  tx_hash: Hash.nullable(),
  /** Grows with each edit; sent back with the next one. */
  version: z.int().positive(),
  edited_at: IsoTime.nullable(),
});
export type FeedItem = z.infer<typeof FeedItem>;

const text = (most: number) =>
  z
    .string()
    .max(most * 4, `must be 1 to ${most} characters`)
    .transform((value) => value.normalize('NFC').trim())
    .refine((value) => value.length > 0 && [...value].length <= most, { message: `must be 1 to ${most} characters` })
    .refine((value) => !/[\p{Cf}\p{Cs}\p{Co}\p{Cn}]|[^\P{Cc}\n\t]/u.test(value.replaceAll(joinedEmoji, '')), {
      message: 'must not hold control, invisible or text-direction characters',
    });
/** One line of at most 140 characters. */
export const PostTitle = text(140).refine((value) => !/\n/.test(value), { message: 'must be one line' });
/** At most 4 000 characters. */
export const PostBody = text(4_000);

const vault = { chain_id: ChainId, vault_address: Address };

/** Newest first. Public where the vault is. */
export const ListFeed = action('v1.ai.feed', {
  callers: { user: 'read', services: ['gateway'] },
  params: z.strictObject({
    ...vault,
    kind: FeedKind.optional(),
    severity: FeedSeverity.optional(),
    from: IsoTime.optional(),
    to: IsoTime.optional(),
    limit: z.int().min(1).max(500).default(50),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('items', FeedItem),
});

/** Posts are written, edited and taken back by managers of the vault; each is audited. */
export const CreatePost = action('v1.ai.createPost', {
  callers: { user: 'full' },
  params: z.strictObject({ ...vault, title: PostTitle, body: PostBody, severity: FeedSeverity.default('info') }),
  result: FeedItem,
});
/** Changes a post of the vault; what is absent stays. @throws AppError POST_NOT_FOUND, VERSION_CONFLICT. */
export const EditPost = action('v1.ai.editPost', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...vault,
    id: z.string().max(100),
    version: z.int().positive(),
    title: PostTitle.optional(),
    body: PostBody.optional(),
    severity: FeedSeverity.optional(),
  }),
  result: FeedItem,
});
/** Deletes a post of the vault. @throws AppError POST_NOT_FOUND. */
export const DeletePost = action('v1.ai.deletePost', {
  callers: { user: 'full' },
  params: z.strictObject({ ...vault, id: z.string().max(100) }),
  result: z.null(),
});
