import type { FeedItem, feedKinds, feedSeverities } from '@castellan/contracts';
import { Bell, CircleX, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { Tone } from '../design/pill.tsx';

export type Item = FeedItem;
export type Kind = (typeof feedKinds)[number];
export type Severity = (typeof feedSeverities)[number];

export const kindWords: Record<Kind, string> = {
  post: 'Post of a manager',
  large_deposit: 'Large deposit',
  large_withdrawal: 'Large withdrawal',
  price_anomaly: 'Price anomaly',
  skim: 'Fee taken',
  pause: 'Pause',
  role_change: 'Role change',
  source_change: 'Yield source change',
  setting_change: 'Setting change',
  upkeep: 'Upkeep',
};

export const severityWords: Record<Severity, { word: string; tone: Tone; icon: LucideIcon }> = {
  info: { word: 'Info', tone: 'plain', icon: Info },
  notice: { word: 'Notice', tone: 'info', icon: Bell },
  warning: { word: 'Warning', tone: 'warn', icon: TriangleAlert },
  critical: { word: 'Critical', tone: 'critical', icon: CircleX },
};

/** A link of an item as it may be followed: http and https only. Its host is shown, because a label can say anything. */
export function safeLink(url: string): { href: string; host: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href, host, username, password } = new URL(url);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && username === '' && password === '' ? { href, host } : undefined;
}

/** Where an event is shown on the vault's own page; any other path of this site is none. */
export const isVaultLink = (url: string): boolean =>
  /^\/managed-vaults\/[a-z0-9-]{1,40}\/0x[0-9a-fA-F]{40}(?:\/[a-z]{1,40})?$/.test(url);
