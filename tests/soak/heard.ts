import type { Verdict } from './checks.ts';

/** What came without a reset in between: every update behind `after` is due, and up to `upTo` all of them were to have come. */
type Stretch = { readonly after: number; upTo: number; readonly ids: number[]; readonly vaults: Set<number> };

/** What one listener to a vault's updates received. */
export class Heard {
  readonly stretches: Stretch[] = [];
  interruptions = 0;
  #isBeginning = true;

  /** Everything up to this number was sent to it. */
  get upTo(): number {
    return this.stretches.at(-1)?.upTo ?? 0;
  }

  /** What was missed is gone, as the gateway says: it goes on as one that has just come. */
  reset(): void {
    this.#isBeginning = true;
  }

  /** The vault as it is: an update of this number, or what a connection begins with, behind one that may be another vault's. */
  vault(id: number): void {
    const stretch = this.#stretchBehind(id);
    stretch.vaults.add(id);
    stretch.upTo = id;
  }

  update(id: number): void {
    const stretch = this.#stretchBehind(id - 1);
    stretch.ids.push(id);
    stretch.upTo = id;
  }

  #stretchBehind(after: number): Stretch {
    const current = this.stretches.at(-1);
    if (current && !this.#isBeginning) return current;
    const begun: Stretch = { after, upTo: after, ids: [], vaults: new Set() };
    this.#isBeginning = false;
    this.stretches.push(begun);
    return begun;
  }
}

/**
 * What the stream of updates holds for who listens to one vault, up to a number: the vault as it is, and what has happened to it. So many
 * messages nobody could read any more.
 */
export type Published = {
  readonly vaults: readonly number[];
  readonly ids: readonly number[];
  readonly upTo: number;
  readonly lost: number;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** What was due to a listener and did not come; the last stretch lasts to the end, so that one who hears nothing more is found. */
const missingOf = ({ stretches }: Heard, published: Published): number[] =>
  stretches.flatMap(({ after, upTo, ids, vaults }, place) => {
    const isLast = place === stretches.length - 1;
    const isDue = (id: number) => id > after && (isLast || id <= upTo);
    const known = new Set(ids);
    return [
      ...published.ids.filter((id) => isDue(id) && !known.has(id)),
      ...published.vaults.filter((id) => isDue(id) && !vaults.has(id)),
    ];
  });

function faultsOf(heard: Heard, published: Published, who: string): string[] {
  const got = heard.stretches.flatMap(({ ids }) => ids);
  const known = new Set(published.ids);
  const repeated = got.filter((id, place) => place > 0 && id <= Number(got[place - 1]));
  const unknown = got.filter((id) => id <= published.upTo && !known.has(id));
  return [
    ...repeated.map((id) => `update ${id} came again or late to ${who}`),
    ...missingOf(heard, published).map((id) => `update ${id} did not reach ${who}`),
    ...unknown.map((id) => `update ${id} reached ${who} and is not in the stream`),
    ...(got.length === 0 ? [`${who} received no update`] : []),
  ];
}

/** Each listener to a vault received every update of the stream, but for what a reset said is gone, in order, and none twice. */
export function streamsAgree(listeners: readonly Heard[], published: Published): Verdict {
  const { ids, vaults, lost } = published;
  const interruptions = sum(listeners.map((heard) => heard.interruptions));
  const resets = sum(listeners.map(({ stretches }) => Math.max(0, stretches.length - 1)));
  return {
    what: 'the live stream neither repeats nor leaves out',
    found: `${ids.length + vaults.length} updates, ${interruptions} interruptions, ${resets} resets`,
    faults: [
      ...listeners.flatMap((heard, place) => faultsOf(heard, published, `listener ${place + 1}`)),
      ...(lost > 0 ? [`${lost} messages of the stream could not be read`] : []),
    ],
  };
}
