import type { AuditCategory } from '@castellan/contracts';
import type { Api } from '../client/api.ts';

export type TimelineItem = Awaited<ReturnType<Api['timeline']>>['items'][number];

export const categoryWords: Record<AuditCategory, string> = {
  write: 'Changes made here',
  call: 'Prepared calls',
  role: 'Roles',
  setting: 'Settings',
  price: 'Price and pauses',
  fee: 'Fees',
  upkeep: 'Upkeep',
  source: 'Yield sources',
  node: 'Validators',
  account: 'Accounts',
  alert: 'Alerts',
};

/** `secondary_manager_added` as it is read: "Secondary manager added". */
export function actionWords(type: string): string {
  const words = type.replaceAll(/[_.:-]+/g, ' ').trim();
  return words === '' ? type : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Items by UTC day, in the order they came. */
export function byDay(items: readonly TimelineItem[]): { day: string; items: TimelineItem[] }[] {
  const groups: { day: string; items: TimelineItem[] }[] = [];
  for (const item of items) {
    const day = item.t.slice(0, 10);
    const last = groups.at(-1);
    if (last?.day === day) last.items.push(item);
    else groups.push({ day, items: [item] });
  }
  return groups;
}
