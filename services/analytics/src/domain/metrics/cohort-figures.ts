import { type Figure, figure, type Input } from '../figure.ts';
import { given, type Moment } from '../moment.ts';
import { ratio } from '../ratio.ts';
import { boughtBy, type Cohort, heldAt } from './cohorts.ts';

/** One cell: a group, and how many of its periods had passed. */
type Cell = { readonly cohort: Cohort; readonly age: number };
type Kept = { readonly left: bigint; readonly whole: bigint };

const unit = 'share base units';
const endOf = ({ cohort, age }: Cell, moment: Moment): number => cohort.ends[age] ?? moment.time;

/** What each wallet of a cell held at the end of its period, and where that is written. */
function heldInputs(moment: Moment, cell: Cell, name: string): Input[] {
  return cell.cohort.members.map((person): Input => {
    const held = heldAt(moment, person, endOf(cell, moment));
    return { name, value: held?.shares ?? 0n, unit, at: held, source: `Transfer: ${person.holder.address}` };
  });
}

function boughtInputs(moment: Moment, { cohort }: Cell): Input[] {
  return [...boughtBy(moment, cohort)].map(
    ([wallet, { shares, at }]): Input => ({ name: 'before', value: shares, unit, at, source: `Deposit: ${wallet}` }),
  );
}

const share = ({ left, whole }: Kept): number | null => (whole === 0n ? null : ratio(left, whole));

/** The wallets of some cells that still hold more than dust, as a fraction of all of them. */
export const walletsKept = (
  moment: Moment,
  kept: Kept,
  cells: readonly Cell[],
  { dust, window }: { dust: bigint; window: Figure['window'] },
): Figure =>
  figure({
    value: share(kept),
    unit: 'fraction',
    method: 'kept_wallets',
    window,
    inputs: () => [
      given('dust', dust, unit, 'definition'),
      ...cells.flatMap((cell) => heldInputs(moment, cell, 'held')),
    ],
  });

/** The shares bought in the first period of some cells that are still held, as a fraction of all of them. */
export const sharesKept = (moment: Moment, kept: Kept, cells: readonly Cell[], window: Figure['window']): Figure =>
  figure({
    value: share(kept),
    unit: 'fraction',
    method: 'kept_shares',
    window,
    reason: 'the group bought nothing',
    inputs: () => cells.flatMap((cell) => [...boughtInputs(moment, cell), ...heldInputs(moment, cell, 'now')]),
  });
