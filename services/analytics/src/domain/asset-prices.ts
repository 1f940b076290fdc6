import { amountOf, type Fact } from './facts.ts';
import type { Price } from './observation.ts';
import { countUntil, type Dated } from './timeline.ts';

/** One answer of a USD feed, with its place in the log. */
export type Answer = Dated & Price & { readonly index: number; readonly tx: string };

/** Every answer of an asset's USD feed, in chain order. */
export class AssetPrices {
  readonly answers: Answer[] = [];

  apply(fact: Fact): void {
    const answer = amountOf(fact, 'current');
    // A feed that answers 0 or less has no price.
    if (answer <= 0n || fact.tx === null) return;
    this.answers.push({
      block: fact.block,
      time: fact.time,
      index: fact.index ?? 0,
      tx: fact.tx,
      answer,
      decimals: Number(fact.args.decimals),
      updatedAt: Number(amountOf(fact, 'updatedAt')),
    });
  }

  /** The answer in force when something happened: the last before it on the chain. */
  before({ block, index }: { block: number; index: number }): Answer | undefined {
    let at = countUntil(this.answers, (answer) => answer.block, block);
    while (at > 0 && (this.answers[at - 1] as Answer).block === block && (this.answers[at - 1] as Answer).index > index)
      at -= 1;
    return this.answers[at - 1];
  }

  /** The answer in force at the end of a block. */
  atBlock(block: number): Answer | undefined {
    return this.before({ block, index: Number.MAX_SAFE_INTEGER });
  }

  /** The answer in force at a time, recorded in blocks up to `block`. */
  atTime(time: number, block: number): Answer | undefined {
    const end = countUntil(this.answers, (answer) => answer.block, block);
    return this.answers[countUntil(this.answers, (answer) => answer.time, time, end) - 1];
  }
}
