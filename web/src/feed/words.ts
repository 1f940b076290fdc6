import type { FeedItem, feedKinds, feedSeverities } from '@castellan/contracts';
import { Bell, CircleX, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { Vault } from '../data/queries.ts';
import type { Tone } from '../design/pill.tsx';
import { formatPps } from '../format/amount.ts';
import { formatBps, formatCount, formatShare, formatUsd, NONE } from '../format/figures.ts';
import { formatDuration } from '../format/time.ts';
import { assetsText } from '../vault/money.ts';

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

const isRaw = (value: number | string): value is string => typeof value === 'string' && /^-?\d+$/.test(value);

/** A figure of an item in its unit, which its name tells; what has none is shown as it is. */
export function metricText(vault: Vault, name: string, value: number | string | null): string {
  if (value === null) return NONE;
  if (typeof value === 'number') {
    if (name.includes('usd')) return formatUsd(value);
    if (name.includes('bps')) return formatBps(value);
    if (name.includes('share') || name.includes('fraction')) return formatShare(value);
    if (name.includes('seconds')) return formatDuration(value);
    return Number.isInteger(value) ? formatCount(value) : String(value);
  }
  if (!isRaw(value)) return value;
  if (name.includes('pps')) return formatPps(value, vault.pps_precision);
  return name.includes('assets') ? assetsText(vault, value) : value;
}

export const metricWords = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
