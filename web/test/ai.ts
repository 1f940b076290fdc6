import { Analysis, FeedItem } from '@castellan/contracts';
import { anAddress } from './builders.ts';

export const anAnalysis = (parts: Partial<Analysis> = {}): Analysis =>
  Analysis.parse({
    vault_address: anAddress(1),
    chain_id: 31337,
    generated_at: '2026-01-02T10:00:00.000Z',
    block_number: 90,
    model: 'rules-1',
    provider: 'built-in',
    sections: [
      {
        id: 'performance',
        title: 'Performance',
        narrative: 'The vault earned 4.20 % over 7 days.',
        citations: [{ metric: 'APY over 7 days', path: 'overview.apy.d7', value: 0.042, said: '4.20 %' }],
      },
      { id: 'risk', title: 'Risk', narrative: 'The score is 12.', citations: [] },
      { id: 'yield_sources', title: 'Yield sources', narrative: 'One source carries it all.', citations: [] },
      {
        id: 'fees',
        title: 'Fees',
        narrative: 'Nothing waits to be taken.',
        citations: [{ metric: 'supply of shares', path: 'vault.total_supply', value: '11850000000000' }],
      },
      { id: 'liquidity', title: 'Liquidity', narrative: 'All can be paid at once.', citations: [] },
    ],
    summary: 'A calm week.',
    highlights: ['The price is on time.'],
    ungrounded_figures: [],
    ...parts,
  });

export const aFeedItem = (number: number, parts: Partial<FeedItem> = {}): FeedItem =>
  FeedItem.parse({
    id: `item-${number}`,
    t: `2026-01-${String(number).padStart(2, '0')}T09:30:00.000Z`,
    kind: 'post',
    title: `Post ${number}`,
    body: `Text of ${number}`,
    author: { wallet_address: anAddress(0x10), display_name: 'Mara' },
    severity: 'info',
    links: [],
    metrics: {},
    tx_hash: null,
    version: 1,
    edited_at: null,
    ...parts,
  });

export const aFeedPage = (items: FeedItem[], next: string | null = null) => ({
  items,
  total: items.length + (next === null ? 0 : 1),
  has_more: next !== null,
  next_cursor: next,
});

/** A refusal that says when to come back. */
export const laterRefusal = (code: string, status: number, retry_after_seconds: number): Error =>
  Object.assign(new Error(code), {
    code,
    status,
    detail: `refused: ${code}`,
    request_id: 'req-1',
    retry_after_seconds,
  });
