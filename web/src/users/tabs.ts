import type { Role, Row } from './access.ts';

export const tabs = ['primary', 'managers', 'viewers'] as const;
export type TabId = (typeof tabs)[number];

/** Where most of the work is, and where a URL without a tab leads. */
export const FIRST: TabId = 'managers';
export const tabFrom = (value: string | null): TabId => tabs.find((tab) => tab === value) ?? FIRST;

const roleOf: Record<TabId, Role> = {
  primary: 'primary_manager',
  managers: 'secondary_manager',
  viewers: 'view_only',
};
export const belongs = (tab: TabId, { grant }: Row): boolean => grant.role === roleOf[tab];

export const titles: Record<TabId, string> = {
  primary: 'Primary manager',
  managers: 'Secondary managers',
  viewers: 'View only',
};

export const empties: Record<TabId, { title: string; text: string }> = {
  primary: {
    title: 'The primary manager is not indexed yet',
    text: 'It appears once the block that created the vault is read.',
  },
  managers: {
    title: 'No secondary manager',
    text: 'Wallets appear here once the primary manager adds them on chain.',
  },
  viewers: { title: 'Nobody has view-only access', text: 'Wallets appear here once the primary manager grants it.' },
};
