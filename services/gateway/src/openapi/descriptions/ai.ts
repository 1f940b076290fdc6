import type { Description } from '../description.ts';

const unknownVault = ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'] as const;

export const ai = {
  analysis: {
    tag: 'ai',
    role: 'viewer',
    summary: 'What the figures of a vault say, every one of them traced to its metric',
    errors: ['ROLE_REQUIRED', 'NOT_READY', ...unknownVault],
  },
  feed: {
    tag: 'ai',
    role: 'anyone',
    summary: 'Notable events of a vault and what its managers wrote, newest first',
    errors: ['CURSOR_INVALID', 'RANGE_REVERSED', ...unknownVault],
  },
  createPost: {
    tag: 'ai',
    role: 'secondary',
    summary: 'Write to the feed of a vault',
    errors: ['ROLE_REQUIRED', ...unknownVault],
  },
  editPost: {
    tag: 'ai',
    role: 'secondary',
    summary: 'Edit a post; stale versions are refused',
    errors: ['ROLE_REQUIRED', 'POST_NOT_FOUND', 'VERSION_CONFLICT', ...unknownVault],
  },
  deletePost: {
    tag: 'ai',
    role: 'secondary',
    summary: 'Take a post back',
    errors: ['ROLE_REQUIRED', 'POST_NOT_FOUND', ...unknownVault],
  },
  conversations: { tag: 'ai', role: 'anyone', summary: 'Own conversations, latest first', errors: ['CURSOR_INVALID'] },
  conversation: {
    tag: 'ai',
    role: 'anyone',
    summary: 'One of the own conversations with its messages',
    errors: ['CONVERSATION_NOT_FOUND', 'ROLE_REQUIRED', ...unknownVault],
  },
  deleteConversation: {
    tag: 'ai',
    role: 'anyone',
    summary: 'Forget one of the own conversations',
    errors: ['CONVERSATION_NOT_FOUND'],
  },
} satisfies Record<string, Description>;
