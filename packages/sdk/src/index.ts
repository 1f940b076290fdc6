export { formatAmount, parseAmount } from './amounts.ts';
export { ApiError, hasCode } from './api-error.ts';
export { type Client, createClient } from './client.ts';
export { type Clock, systemClock } from './clock.ts';
export type { DeprecationNotice } from './deprecation.ts';
export { itemsOf, type Page, pagesOf } from './pages.ts';
export { createSession, type Session, type SessionOptions, type SigningWallet } from './session.ts';
export type { FollowInput, StreamInput, VaultEvent } from './stream.ts';
export type {
  CallOptions,
  ClientOptions,
  OperationInput,
  Operations,
  Selected,
  SelectingInput,
  TokenSource,
} from './types.ts';
export { verifyWebhook, type WebhookDelivery, WebhookRefused } from './webhook.ts';
