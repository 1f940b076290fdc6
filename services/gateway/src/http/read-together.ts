import {
  type Caller,
  GetVault,
  type InputOf,
  isUnbound,
  ListMyVaults,
  ReadTogether,
  type ResultOf,
  type Route,
} from '@castellan/contracts';
import { type CallAction, sharedRead } from '@castellan/service-kit';
import { LRUCache } from 'lru-cache';
import { ownBytes } from '../cache/snapshots.ts';

type Asked = InputOf<typeof ReadTogether>['reads'][number];
type Answer = ResultOf<typeof ReadTogether>['answers'][number];
type Held = { readonly etag: string; readonly bytes: Buffer };

/** An answer as it is now, and at which block a vault was read for it. */
export type Found = Held & { readonly block_number: number | null };

/**
 * Answers a read of a signed-in caller together with all that are asked in the same turn of the event loop.
 * @returns undefined where the route has to be asked by itself.
 */
export type ReadsTogether = (
  route: Pick<Route, 'action'>,
  params: unknown,
  caller: Caller | undefined,
) => Promise<Found | undefined>;

/** Reads of one call. */
const mostReads = 100;
/** Answers of one vault that are held: one for each role. */
const mostAnswers = 4;
/** What held answers take besides their bytes: key, tags and objects, rounded up. */
const overheadBytes = 500;

/** What is asked, where it can be asked together: by the wallet alone, for a token that is bound to no vault and no chain. */
function askedBy({ action }: Pick<Route, 'action'>, params: unknown, caller: Caller | undefined): Asked | undefined {
  if (caller === undefined || !isUnbound(caller)) return undefined;
  const { wallet_address } = caller;
  if (action === GetVault)
    return { read: 'detail', wallet_address, params: params as InputOf<typeof GetVault>, known: [] };
  if (action === ListMyVaults)
    return { read: 'list', wallet_address, params: params as InputOf<typeof ListMyVaults>, known: [] };
  return undefined;
}

/** Whose answers may be the same: of a vault all callers with the same role, of a list one wallet. What is held is named by its hash. */
const placeOf = ({ read, wallet_address, params }: Asked): string =>
  JSON.stringify(read === 'detail' ? [read, params] : [read, params, wallet_address]);

/** Nobody serves the action: `vaults` is away, or of a version that does not know it. */
const isNotServed = (error: unknown): boolean =>
  (error as { cause?: { type?: unknown } } | null)?.cause?.type === 'SERVICE_NOT_FOUND';

export type TogetherPorts = {
  callAction: CallAction;
  maxBytes: number;
  /** `held`: the answer was known; `sent`: it came with its bytes; `alone`: it is asked by itself. */
  count: (outcome: 'held' | 'sent' | 'alone') => void;
};

/**
 * The service is asked at every read, as {@link ReadTogether} says, so that a role which has ended is seen by the next one. What is saved is its
 * making, its way over the bus and, where several ask at once, all calls but one: an answer whose tag is held here is not sent again.
 * An answer reaches a caller only when the service has named its hash for this very caller.
 */
export function createReadsTogether({ callAction, maxBytes, count }: TogetherPorts): ReadsTogether {
  const held = new LRUCache<string, readonly Held[]>({
    maxSize: maxBytes,
    sizeCalculation: (answers, key) =>
      answers.reduce((sum, { bytes }) => sum + bytes.length + overheadBytes, key.length),
  });
  let gathered = new Map<string, Asked>();

  const askAll = async (reads: readonly (readonly [string, Asked])[]): Promise<[string, Answer][]> => {
    try {
      const { answers } = await callAction(ReadTogether, { reads: reads.map(([, asked]) => asked) });
      return reads.map(([id], index) => [id, answers[index] ?? null]);
    } catch (error) {
      if (!isNotServed(error)) throw error;
      return reads.map(([id]) => [id, null]);
    }
  };
  const askGathered = sharedRead(async (): Promise<ReadonlyMap<string, Answer>> => {
    const reads = [...gathered];
    gathered = new Map();
    const parts = Array.from({ length: Math.ceil(reads.length / mostReads) }, (_, part) =>
      askAll(reads.slice(part * mostReads, (part + 1) * mostReads)),
    );
    return new Map((await Promise.all(parts)).flat());
  });
  const hold = (place: string, etag: string, body: string): Held => {
    const found = { etag, bytes: ownBytes(Buffer.from(body)) };
    const others = (held.get(place) ?? []).filter((each) => each.etag !== etag);
    held.set(place, [found, ...others].slice(0, mostAnswers));
    return found;
  };

  return async (route, params, caller) => {
    const asked = askedBy(route, params, caller);
    if (asked === undefined) return undefined;
    const place = placeOf(asked);
    const known = held.get(place) ?? [];
    const id = `${asked.wallet_address} ${place}`;
    // Who asks the same in this turn has the same known answers.
    gathered.set(id, { ...asked, known: known.map(({ etag }) => etag) });
    const answer = (await askGathered()).get(id) ?? null;
    const found =
      answer?.body === null
        ? known.find(({ etag }) => etag === answer.etag)
        : answer && hold(place, answer.etag, answer.body);
    if (!answer || !found) {
      count('alone');
      return undefined;
    }
    count(answer.body === null ? 'held' : 'sent');
    return { ...found, block_number: answer.block_number };
  };
}
