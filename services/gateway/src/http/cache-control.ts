import { benchmarkedReads, formulasVersion, ListChains, type Route, routes } from '@castellan/contracts';
import type { Snapshot } from '../cache/snapshots.ts';
import { readShared } from './shared-reads.ts';
import type { Input } from './validate.ts';

type Ports = Parameters<typeof readShared>[0];

const chainsRoute = routes.chains as unknown as Route;

/** Until when blocks of a chain are final, in milliseconds; undefined while nobody can say. */
async function finalUntil(ports: Ports, chainId: unknown): Promise<number | undefined> {
  // An answer is not refused because the service that knows its chain is away: it is asked for again.
  const read = await readShared(ports, chainsRoute, {}, undefined).catch(() => undefined);
  if (read === undefined) return undefined;
  const { chains } = ListChains.result.parse(JSON.parse(`${read.bytes}`));
  const finalTime = chains.find(({ chain_id }) => chain_id === chainId)?.final_time;
  return finalTime ? Date.parse(finalTime) : undefined;
}

/**
 * Whether clients may keep an answer for good: it is about a moment that the address names, before which all blocks are final, and made by
 * the formulas that the address names. Of another version the address would go on to show what these formulas say.
 */
async function isFinal(ports: Ports, { params, query }: Input, asOf: string | undefined): Promise<boolean> {
  if (query.v !== formulasVersion || (query.at === undefined && query.block === undefined) || asOf === undefined)
    return false;
  const until = await finalUntil(ports, (params as { chain_id?: unknown }).chain_id);
  return until !== undefined && Date.parse(asOf) < until;
}

/** The `Cache-Control` of a read's answer. Never `public`: what one caller may see another may not. */
export const cacheControlOf = async (
  ports: Ports,
  { id }: Pick<Route, 'id'>,
  input: Input,
  { asOf }: Pick<Snapshot, 'asOf'>,
): Promise<string> =>
  !benchmarkedReads.has(id) && (await isFinal(ports, input, asOf))
    ? 'private, max-age=31536000, immutable'
    : 'private, no-cache';
