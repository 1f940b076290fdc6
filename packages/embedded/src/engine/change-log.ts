/** A change of one stored document: without `before` it was added, without `after` removed. */
export type Change = {
  readonly namespace: string;
  readonly rid: number;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
};

/** The row that a change is about. */
export const rowOf = ({ namespace, rid }: Change): string => `${namespace}#${rid}`;

/** What undoes a change. */
export const inverse = ({ namespace, rid, before, after }: Change): Change => ({
  namespace,
  rid,
  before: after,
  after: before,
});

/** Bytes that a change keeps in memory. */
export const bytesOf = ({ before, after }: Change): number => (before?.length ?? 0) + (after?.length ?? 0);

/** What was changed since the oldest open transaction began, so that transactions see the documents as they were then. */
export class ChangeLog {
  private shared: Change[] = [];
  private first = 0;
  private kept = false;
  private collecting: { into: Change[] | undefined } | undefined;
  private size = 0;

  /** Called for each change of a document. */
  record(change: Change): void {
    if (this.collecting) {
      this.collecting.into?.push(change);
      return;
    }
    if (!this.kept) return;
    this.shared.push(change);
    this.size += bytesOf(change);
  }

  /** The number that the next shared change will have. */
  get next(): number {
    return this.first + this.shared.length;
  }

  /** Bytes of all shared changes that are kept. */
  get bytes(): number {
    return this.size;
  }

  /** Shared changes from a number on, in their order. */
  since(number: number): Change[] {
    return this.shared.slice(number - this.first);
  }

  /** Runs work whose changes are nobody else's: they are given to `into`, or forgotten. */
  collect<T>(into: Change[] | undefined, work: () => T): T {
    const outer = this.collecting;
    this.collecting = { into };
    try {
      return work();
    } finally {
      this.collecting = outer;
    }
  }

  /** Forgets shared changes from a number on, which were undone. */
  undoneFrom(number: number): void {
    for (const change of this.shared.splice(number - this.first)) this.size -= bytesOf(change);
  }

  /** Keeps changes from a number on; undefined keeps none, while no transaction is open. */
  keepFrom(number: number | undefined): void {
    this.kept = number !== undefined;
    const until = (number ?? this.next) - this.first;
    for (const change of this.shared.splice(0, until)) this.size -= bytesOf(change);
    this.first += until;
  }
}
