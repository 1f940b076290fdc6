import { type Dated, within } from '../timeline.ts';

type SourceEvent = Dated & { readonly kind: 'added' | 'removed' | 'used'; readonly address: string };

/** What logs say of the yield sources before the first reading of what they hold. */
export class SourceLedger {
  readonly #events: SourceEvent[] = [];

  note({ block, time }: Dated, kind: SourceEvent['kind'], address: string): void {
    this.#events.push({ block, time, kind, address });
  }

  /** Sources on the list after a block, each with the event that put it there and whether a hook has been executed on it. */
  listedAt(block: number): { address: string; since: Dated; isUsed: boolean }[] {
    const listed = new Map<string, { address: string; since: Dated; isUsed: boolean }>();
    for (const event of within(this.#events, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, block)) {
      const { kind, address } = event;
      const known = listed.get(address);
      if (kind === 'added') listed.set(address, { address, since: event, isUsed: known?.isUsed ?? false });
      else if (kind === 'removed') listed.delete(address);
      else if (known) listed.set(address, { ...known, isUsed: true });
    }
    return [...listed.values()];
  }
}
