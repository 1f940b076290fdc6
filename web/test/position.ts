import { GetPosition } from '@castellan/contracts';
import { anAddress } from './builders.ts';

type Position = ReturnType<typeof GetPosition.result.parse>;

/** A wallet that put 1 000 USDC in, which are worth 1 100 now. */
export const aPositionOf = (wallet: string, parts: Partial<Position> = {}): Position =>
  GetPosition.result.parse({
    chain_id: 31337,
    vault_address: anAddress(1),
    as_of: '2026-01-30T01:00:00.000Z',
    block_number: 100,
    quality: {},
    wallet_address: wallet,
    shares: '1000000000',
    free_shares: '1000000000',
    pending_shares: '0',
    returnable_shares: '0',
    assets: '1100000000',
    usd: 1_099,
    claimable_assets: '0',
    put_in: '1000000000',
    taken_out: '0',
    profit_assets: '100000000',
    profit_usd: 99.9,
    xirr: 0.0731,
    first_seen: '2026-01-01T00:00:00.000Z',
    instant_assets: '700000000',
    request: null,
    waiting: 0,
    ...parts,
  });
