import type { AnalyticsResult } from '../data/use-analytics.ts';
import { Pill, type Tone } from '../design/pill.tsx';
import { assetsText } from '../vault/money.ts';
import type { Shown } from '../vault/vault-gate.tsx';

export type Redemption = AnalyticsResult<'analyticsRedemptions'>['redemptions'][number];

const states: Record<Redemption['state'], { tone: Tone; word: string; meaning: string }> = {
  payable: { tone: 'ok', word: 'Can be paid now', meaning: 'Idle assets reach it in its turn.' },
  needs_withdrawal: {
    tone: 'info',
    word: 'Needs a withdrawal',
    meaning: 'Yield sources must pay the vault first.',
  },
  short: { tone: 'warn', word: 'Short', meaning: 'Idle assets and what sources pay at once do not reach it.' },
  blocked: {
    tone: 'warn',
    word: 'Blocked',
    meaning:
      'The price is below what the wallet accepts: it waits until the price recovers or the wallet allows more slippage.',
  },
  cancelling: { tone: 'plain', word: 'Cancelled', meaning: 'The wallet wants its shares back.' },
  unknown: { tone: 'plain', word: 'Not known', meaning: 'Nothing has been observed of the vault yet.' },
};

const sourceName = (vault: Shown['vault'], address: string): string =>
  vault.allocation.flatMap((slice) =>
    slice.kind === 'source' && slice.source_address.toLowerCase() === address.toLowerCase() ? [slice.name] : [],
  )[0] ?? 'a yield source';

/** Where the assets for one would come from, were everybody paid in turn now. */
export function PaidFrom({ row, vault }: { row: Redemption; vault: Shown['vault'] }) {
  const { tone, word, meaning } = states[row.state];
  const { from_idle: idle, from_sources: sources, missing, state } = row;
  const parts = [
    ...(idle === null || idle === '0' || state === 'payable' ? [] : [`${assetsText(vault, idle)} idle`]),
    ...sources.map(
      ({ source_address: source, assets }) => `${assetsText(vault, assets)} from ${sourceName(vault, source)}`,
    ),
    ...(missing === null || missing === '0' ? [] : [`${assetsText(vault, missing)} missing`]),
  ];
  return (
    <>
      <Pill tone={tone} title={meaning}>
        {word}
      </Pill>
      {parts.map((part) => (
        <span key={part} className="block text-12 text-muted">
          {part}
        </span>
      ))}
    </>
  );
}
