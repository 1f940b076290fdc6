import type { Api } from '../client/api.ts';

export type Sync = NonNullable<Awaited<ReturnType<Api['merkleSync']>>>;
export type Job = Awaited<ReturnType<Api['merkleJobs']>>['jobs'][number];
export type Version = Awaited<ReturnType<Api['merkleConfigVersions']>>['versions'][number];
export type Config = Awaited<ReturnType<Api['merkleConfig']>>;
export type Tree = Awaited<ReturnType<Api['merkleTrees']>>['trees'][number];
export type Hook = Awaited<ReturnType<Api['registryHooks']>>['hooks'][number];
export type HookRow = { hook_id: string; params: Record<string, string> };

export type Role = 'primary_manager' | 'secondary_manager' | 'view_only' | null;
export const mayConfigure = (role: Role): boolean => role === 'primary_manager' || role === 'secondary_manager';

export const isRunning = ({ status }: Job): boolean => status === 'pending' || status === 'running';
