import { reads } from '../reads.ts';
import type { Histories } from '../use-cases/ports.ts';
import { Refusal } from './refusal.ts';

/** Each read by what its route says behind `/analytics/`. */
const byPath = new Map(reads.map((read) => [read.route.path.split('/analytics/')[1] ?? '', read]));

export const readPaths: readonly string[] = [...byPath.keys()];

export type Question = {
  readonly chainId: number;
  readonly vault: string;
  readonly block: number;
  readonly read: string;
  readonly query: string;
};

/** Asks a read of some histories what a client asks it over HTTP. */
export async function askRead(
  histories: Histories,
  { chainId, vault, block, read, query }: Question,
): Promise<unknown> {
  const found = byPath.get(read);
  if (found === undefined) throw new Refusal(`There is no read ${read}.`);
  const { route } = found;
  const asked = { ...Object.fromEntries(new URLSearchParams(query)), block: String(block), receipt: 'true' };
  const parsed = route.query.safeParse(asked);
  if (!parsed.success) throw new Refusal(`--query: ${parsed.error.issues[0]?.message}.`);
  const merged = route.toParams({
    params: { chain_id: chainId, vault_address: vault },
    query: parsed.data as Record<string, unknown>,
    body: {},
  });
  return found.answer({ histories }, merged);
}
