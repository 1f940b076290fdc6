/** From `first` on, blocks do not count as indexed before the vault was read at `last` or later. */
type Span = { first: bigint; last: bigint };

/**
 * Vaults that events in stored blocks are about, and that were not read since. A block does not count as indexed while a vault is
 * unread of which it has an event: a role that the event took away would still be answered.
 */
export class UnreadEvents {
  readonly #spans = new Map<string, Span>();

  /** The vault (lower case) is to be read at `last` or later before `first` counts: of its events, the first and the last block. */
  add(vault: string, first: bigint, last: bigint): void {
    const known = this.#spans.get(vault) ?? { first, last };
    this.#spans.set(vault, {
      first: first < known.first ? first : known.first,
      last: last > known.last ? last : known.last,
    });
  }

  /** A vault was read at a block, and that is stored. */
  read(vault: string, block: bigint): void {
    const known = this.#spans.get(vault);
    if (!known) return;
    if (block >= known.last) this.#spans.delete(vault);
    else if (block >= known.first) this.#spans.set(vault, { first: block + 1n, last: known.last });
  }

  /** The chain left these blocks. */
  forgetFrom(block: bigint): void {
    for (const [vault, { first, last }] of this.#spans) {
      if (first >= block) this.#spans.delete(vault);
      else if (last >= block) this.#spans.set(vault, { first, last: block - 1n });
    }
  }

  has(vault: string): boolean {
    return this.#spans.has(vault);
  }

  /** The first block with an event about a vault that was not read since; null without one. */
  firstBlock(): bigint | null {
    let found: bigint | null = null;
    for (const { first } of this.#spans.values()) if (found === null || first < found) found = first;
    return found;
  }
}
