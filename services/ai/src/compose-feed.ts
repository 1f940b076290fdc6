import {
  AuditRecorded,
  AuditStream,
  ChainStream,
  CreatePost,
  DeletePost,
  EditPost,
  ListFeed,
} from '@castellan/contracts';
import { implement, type ServiceContext } from '@castellan/service-kit';
import type { Budgets } from './budgets/budgets.ts';
import type { AiConfig } from './config.ts';
import { PostLedger } from './feed/adapters/post-ledger.mongo.ts';
import { FeedFollower } from './feed/follower/feed-follower.ts';
import { openFeedCollections } from './feed/models/feed-collections.ts';
import { listFeed } from './feed/use-cases/list-feed.ts';
import { createPost, deletePost, editPost } from './feed/use-cases/write-post.ts';

/** What the feed reads and writes of the durable bus. */
export const feedStreams = [AuditStream, ChainStream];
export const feedPublishes = [AuditRecorded];

/** Puts the feed together: what follows the log, what is asked of it, and what its writers owe the audit log. */
export function composeFeed(config: Pick<AiConfig, 'feed'>, context: ServiceContext, budgets: Budgets) {
  const { mongo, callAction, log, outbox, durable } = context;
  const collections = openFeedCollections(mongo);
  const ledger = new PostLedger({ collections, outbox, log });
  const follower = new FeedFollower({ collections, mongo, callAction, log, thresholds: config.feed });
  const posts = { collections, ledger, budgets, now: Date.now };
  return {
    actions: {
      feed: implement(ListFeed, listFeed(collections)),
      createPost: implement(CreatePost, createPost(posts)),
      editPost: implement(EditPost, editPost(posts)),
      deletePost: implement(DeletePost, deletePost(posts)),
    },
    start: async () => {
      ledger.start();
      await follower.start(durable);
    },
    drain: async () => {
      ledger.stop();
      await follower.stop();
    },
  };
}
