import {
  AuditRecorded,
  AuditStream,
  ChainStream,
  CreatePost,
  DeletePost,
  EditPost,
  type EventData,
  ListFeed,
} from '@castellan/contracts';
import { implement, moveToOutbox, pendingEvent, type RecordWith, type ServiceContext } from '@castellan/service-kit';
import type { Budgets } from './budgets/budgets.ts';
import type { AiConfig } from './config.ts';
import { FeedFollower } from './feed/follower/feed-follower.ts';
import { openFeedCollections } from './feed/models/feed-collections.ts';
import { listFeed } from './feed/use-cases/list-feed.ts';
import { createPost, deletePost, editPost } from './feed/use-cases/write-post.ts';

/** What the feed reads and writes of the durable bus. */
export const feedStreams = [AuditStream, ChainStream];
export const feedPublishes = [AuditRecorded];

/** Audit rows that the former version kept in its posts until they were in the outbox. */
export const moveFormerRows = ({
  mongo,
  outbox,
  log,
}: Pick<ServiceContext, 'mongo' | 'log'> & { outbox: { recordWith: RecordWith } }): Promise<void> =>
  moveToOutbox<EventData<typeof AuditRecorded>>(
    { connection: mongo, outbox, log },
    { collection: 'feed_items', eventsOf: (row) => [pendingEvent(AuditRecorded, row, { msgId: row.id })] },
  );

/** Puts the feed together: what follows the log, what is asked of it, and the audit rows of what is written. */
export function composeFeed(config: Pick<AiConfig, 'feed'>, context: ServiceContext, budgets: Budgets) {
  const { mongo, callAction, log, outbox, durable } = context;
  const collections = openFeedCollections(mongo);
  const follower = new FeedFollower({ collections, mongo, callAction, log, thresholds: config.feed });
  const posts = { collections, outbox, budgets, now: Date.now };
  return {
    actions: {
      feed: implement(ListFeed, listFeed(collections)),
      createPost: implement(CreatePost, createPost(posts)),
      editPost: implement(EditPost, editPost(posts)),
      deletePost: implement(DeletePost, deletePost(posts)),
    },
    start: async () => {
      await moveFormerRows(context);
      await follower.start(durable);
    },
    drain: async () => {
      await follower.stop();
    },
  };
}
