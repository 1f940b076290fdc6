import type { Duty, DutyPerson, DutyRota } from '@castellan/contracts';
import { instantOf, timeOfDay, wallOf } from './wall-clock.ts';

const WEEK_MS = 7 * 86_400_000;
/** How many weeks are shown ahead, this one among them. */
const WEEKS_SHOWN = 8;

type Shift = Duty['shifts'][number];

const begins = ({ starts_on, hand_over }: DutyRota): number =>
  Date.parse(`${starts_on}T00:00:00Z`) + timeOfDay(hand_over);

/** The week of the rota that an instant is in, from 0; negative before it starts. By the clock of its time zone. */
const weekAt = (rota: DutyRota, now: Date): number =>
  Math.floor((wallOf(now, rota.time_zone) - begins(rota)) / WEEK_MS);

const personOfWeek = ({ people }: DutyRota, week: number): DutyPerson | undefined => people[week % people.length];

function standIn({ people, overrides }: DutyRota, now: Date): DutyPerson | undefined {
  const at = now.getTime();
  const found = overrides.findLast(({ from, to }) => Date.parse(from) <= at && at < Date.parse(to));
  return found && people.find(({ wallet_address }) => wallet_address === found.wallet_address);
}

/** Who is on duty, and to whom an alert is escalated: who would be on duty without an override, else who comes next. */
export function dutyAt(rota: DutyRota, now: Date): { on_duty: DutyPerson | null; next: DutyPerson | null } {
  const week = weekAt(rota, now);
  const weekly = week < 0 ? undefined : personOfWeek(rota, week);
  const on_duty = standIn(rota, now) ?? weekly;
  if (!on_duty) return { on_duty: null, next: null };
  const after = Array.from(rota.people, (_, index) => personOfWeek(rota, Math.max(week, 0) + 1 + index));
  const next = [weekly, ...after].find((person) => person && person.wallet_address !== on_duty.wallet_address);
  return { on_duty, next: next ?? null };
}

/** This week's shift and the next ones, and the overrides that are not over, in the order in which they begin. */
export function shiftsFrom(rota: DutyRota, now: Date): Shift[] {
  const first = Math.max(0, weekAt(rota, now));
  const begin = (week: number) => instantOf(begins(rota) + week * WEEK_MS, rota.time_zone).toISOString();
  const weekly = Array.from({ length: WEEKS_SHOWN }, (_, index) => first + index).flatMap((week): Shift[] => {
    const person = personOfWeek(rota, week);
    return person ? [{ from: begin(week), to: begin(week + 1), person, is_override: false }] : [];
  });
  const overrides = rota.overrides.flatMap(({ from, to, wallet_address }): Shift[] => {
    const person = rota.people.find((each) => each.wallet_address === wallet_address);
    return person && Date.parse(to) > now.getTime() ? [{ from, to, person, is_override: true }] : [];
  });
  return [...weekly, ...overrides].sort((a, b) => Date.parse(a.from) - Date.parse(b.from));
}
