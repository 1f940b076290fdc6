import { clsx } from 'clsx';
import type { LucideIcon } from 'lucide-react';
import { CircleAlert, CircleCheck, CircleDashed, CircleX, Eye, Info, ShieldCheck, TriangleAlert } from 'lucide-react';

export type Tone = 'ok' | 'info' | 'warn' | 'critical' | 'plain';

const tones: Record<Tone, string> = {
  ok: 'text-accent',
  info: 'text-info',
  warn: 'text-brass',
  critical: 'text-danger',
  plain: 'text-muted',
};
const icons: Record<Tone, LucideIcon> = {
  ok: CircleCheck,
  info: Info,
  warn: TriangleAlert,
  critical: CircleX,
  plain: CircleDashed,
};

type PillProps = { tone: Tone; children: string; icon?: LucideIcon; title?: string };

/** A state as icon and word; the colour only repeats what they say. */
export function Pill({ tone, children, icon, title }: PillProps) {
  const Icon = icon ?? icons[tone];
  return (
    <span
      title={title}
      className={clsx(
        'inline-flex h-6 items-center gap-1.5 whitespace-nowrap rounded-full border bg-surface px-2 text-12 font-medium',
        tones[tone],
      )}
    >
      <Icon size={14} aria-hidden="true" />
      {children}
    </span>
  );
}

type OperationalState = 'paused' | 'awaiting_price' | 'stale' | 'underfunded' | 'live';
const states: Record<OperationalState, { tone: Tone; word: string; meaning: string }> = {
  live: { tone: 'ok', word: 'Live', meaning: 'The vault takes deposits and redemptions at the current price.' },
  underfunded: { tone: 'warn', word: 'Underfunded', meaning: 'The upkeep balance is below what price updates need.' },
  stale: { tone: 'critical', word: 'Stale price', meaning: 'The price is too old to be used.' },
  awaiting_price: { tone: 'info', word: 'Awaiting price', meaning: 'The vault waits for the next price report.' },
  paused: { tone: 'critical', word: 'Paused', meaning: 'Deposits and price updates are stopped.' },
};
export const stateOrder: readonly OperationalState[] = ['paused', 'stale', 'awaiting_price', 'underfunded', 'live'];

export function StatePill({ state }: { state: OperationalState }) {
  const { tone, word, meaning } = states[state];
  return (
    <Pill tone={tone} title={meaning}>
      {word}
    </Pill>
  );
}

type Freshness = 'fresh' | 'ageing' | 'critical' | 'expired';
const freshness: Record<Freshness, { tone: Tone; word: string; icon?: LucideIcon }> = {
  fresh: { tone: 'ok', word: 'Fresh price' },
  ageing: { tone: 'warn', word: 'Ageing price' },
  critical: { tone: 'critical', word: 'Price nearly expired', icon: CircleAlert },
  expired: { tone: 'critical', word: 'Price expired' },
};

export function FreshnessPill({ status }: { status: Freshness }) {
  const { tone, word, icon } = freshness[status];
  return (
    <Pill tone={tone} {...(icon ? { icon } : {})}>
      {word}
    </Pill>
  );
}

type Role = 'primary_manager' | 'secondary_manager' | 'view_only';
export const roleWords: Record<Role, string> = {
  primary_manager: 'Primary manager',
  secondary_manager: 'Secondary manager',
  view_only: 'View only',
};

export function RolePill({ role }: { role: Role }) {
  return (
    <Pill tone={role === 'view_only' ? 'plain' : 'info'} icon={role === 'view_only' ? Eye : ShieldCheck}>
      {roleWords[role]}
    </Pill>
  );
}
