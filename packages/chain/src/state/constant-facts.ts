import type { PublicClient } from 'viem';

type Fact = { block: bigint; reading: Promise<unknown> };

/** What is known by each client, which is of one chain. */
const factsOf = new WeakMap<PublicClient, Map<string, Fact>>();

/**
 * What never changes of a contract once it is there, read once for each chain and address for as long as the client is there. It counts
 * from the block that it was read at. What could not be read, or is not to be kept, is read again at the next block.
 * @param name - The fact and the address, for example `decimals 0x…`.
 */
export function constantFact<T>(
  client: PublicClient,
  { name, block }: { name: string; block: bigint },
  read: () => Promise<T>,
  isKept: (value: T) => boolean = (value) => value !== null,
): Promise<T> {
  const facts = factsOf.get(client) ?? new Map<string, Fact>();
  factsOf.set(client, facts);
  const key = name.toLowerCase();
  const known = facts.get(key);
  if (known && known.block <= block) return known.reading as Promise<T>;
  const fact = { block, reading: read() };
  facts.set(key, fact);
  const forget = () => {
    if (facts.get(key) === fact) facts.delete(key);
  };
  fact.reading.then((value) => isKept(value) || forget(), forget);
  return fact.reading;
}
