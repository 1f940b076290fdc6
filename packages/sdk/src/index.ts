export { ApiError } from './api-error.ts';
export { type Client, createClient, createGrowingClient, type RouteTable } from './client.ts';
export type { FollowInput, StreamInput, VaultEvent } from './stream.ts';
export type { CallOptions, ClientOptions, OperationInput, Operations, TokenSource } from './types.ts';
