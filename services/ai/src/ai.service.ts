import { CreatePost, DeletePost, EditPost, GetAnalysis, ListFeed } from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { type AnalysisDeps, getAnalysis } from './use-cases/get-analysis.ts';
import { listFeed } from './use-cases/list-feed.ts';
import { createPost, deletePost, editPost, type PostDeps } from './use-cases/write-post.ts';

/** Binds the contracts to the use cases. */
export const aiService = (deps: AnalysisDeps & PostDeps): ServiceSchema => ({
  name: 'ai',
  version: 1,
  actions: {
    analysis: implement(GetAnalysis, getAnalysis(deps)),
    feed: implement(ListFeed, listFeed(deps.collections)),
    createPost: implement(CreatePost, createPost(deps)),
    editPost: implement(EditPost, editPost(deps)),
    deletePost: implement(DeletePost, deletePost(deps)),
  },
});
