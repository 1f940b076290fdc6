import { type Address, isAddressEqual } from 'viem';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { Leg } from '../domain/legs.ts';
import { Refusal } from '../domain/refusal.ts';
import type { KeeperChain } from '../ports.ts';

type Ports = { chain: Pick<KeeperChain, 'quote' | 'claimable' | 'poolQuote'> };
/** What a leg moves, and the block that decided. */
type Moved = { leg: Leg; amount: bigint; snapshot: Snapshot; block: number };

/** What comes out of a source, or of what is put into it, by its oracle. @throws Refusal PRICE_MISSING */
async function byOracle({ chain }: Ports, { leg, amount, snapshot, block }: Moved): Promise<bigint | null> {
  const { action, source } = leg;
  if (action !== 'DEPOSIT' && action !== 'WITHDRAWAL') return null;
  const { allocation, asset } = snapshot.detail;
  const item = allocation.find(
    ({ source_address, kind }) => kind === 'source' && isAddressEqual(source_address as Address, source),
  );
  if (!item?.oracle_address) throw new Refusal('PRICE_MISSING', `${source} is no yield source of the vault any more.`);
  const oracle = item.oracle_address as Address;
  return chain.quote({ oracle, source, asset: asset.address as Address, action, amount, block });
}

/** A hundredth of a swap moves the price of its pool so little that it says what the price is. */
const PROBE = 100n;

/**
 * What a swap should bring: what the pool pays, and no less than at the price of a hundredth of it. So what a large swap loses by
 * moving the price counts as slippage.
 */
async function byPool(
  { chain }: Ports,
  { leg: { source: pool }, amount, block }: Moved,
  token: Address,
): Promise<bigint | null> {
  const probe = amount / PROBE;
  const quote = (part: bigint) => chain.poolQuote({ pool, token, amount: part, block });
  const [whole, small] = await Promise.all([quote(amount), probe === 0n ? 0n : quote(probe)]);
  if (whole === null || small === null || whole === 0n) return null;
  const unmoved = probe === 0n ? 0n : (small * amount) / probe;
  return unmoved > whole ? unmoved : whole;
}

/**
 * What comes out of a leg, by what was said at the block that decided: by the oracle of its source, by the distributor that pays it, by
 * the pool.
 * @throws Refusal PRICE_MISSING
 */
export async function expectedOut(ports: Ports, moved: Moved): Promise<bigint> {
  const { leg, snapshot, block } = moved;
  const { action, source, token } = leg;
  const account = snapshot.detail.strategy_address as Address;
  const expected =
    action === 'CLAIM'
      ? await ports.chain.claimable({ distributor: source, account, block })
      : action === 'SWAP' && token
        ? await byPool(ports, moved, token)
        : await byOracle(ports, moved);
  if (expected !== null && expected !== 0n) return expected;
  const none = {
    CLAIM: `The distributor ${source} has nothing for this vault, or does not say what.`,
    SWAP: `The pool ${source} gives no price.`,
  };
  throw new Refusal(
    'PRICE_MISSING',
    action === 'CLAIM' || action === 'SWAP' ? none[action] : `The oracle of ${source} gives no price.`,
  );
}
