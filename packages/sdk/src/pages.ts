/** An answer that is one page of a list. */
export type Page = { next_cursor: string | null };

type Pageable = { query?: object };

/** Every page of a list, the first one first; what is left is not asked for when the caller stops. */
export async function* pagesOf<I extends Pageable, R extends Page>(
  method: (input: I) => Promise<R>,
  input: I,
): AsyncGenerator<R, void, undefined> {
  let cursor: string | null = null;
  do {
    const page: R = await method(cursor === null ? input : { ...input, query: { ...input.query, cursor } });
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

type ListIn<R> = { [K in keyof R]: R[K] extends readonly unknown[] ? K : never }[keyof R];
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;

/**
 * Every item of a list, over all its pages.
 * @param list - The name under which the items are in an answer.
 * @example
 * for await (const row of itemsOf(client.auditLogs, { query: vault }, 'logs')) console.log(row.action_type);
 */
export async function* itemsOf<I extends Pageable, R extends Page, K extends ListIn<R>>(
  method: (input: I) => Promise<R>,
  input: I,
  list: K,
): AsyncGenerator<ItemOf<R[K]>, void, undefined> {
  for await (const page of pagesOf(method, input)) yield* page[list] as Iterable<ItemOf<R[K]>>;
}
