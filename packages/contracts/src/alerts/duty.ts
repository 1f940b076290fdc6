import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, DisplayName, Eip55, IsoTime, VaultRef } from '../primitives.ts';
import { AlertSeverity } from './rules.ts';

/** A time of day: `22:00`. */
const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00');
const Day = z.iso.date('must be a day such as 2026-11-20');

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
/** A name of the IANA database: `Europe/Zurich`. */
const TimeZone = z.string().min(1).max(64).refine(isTimeZone, 'must be a time zone such as Europe/Zurich');

/**
 * When a channel holds back what can wait; `to` before `from` is of the next day. An alert of `breaks_through` or worse is sent at once,
 * and so is an escalation where those are received.
 */
export const QuietHours = z
  .strictObject({ time_zone: TimeZone, from: TimeOfDay, to: TimeOfDay, breaks_through: AlertSeverity })
  .refine(({ from, to }) => from !== to, { message: 'must differ from `from`', path: ['to'] });
export type QuietHours = z.infer<typeof QuietHours>;

/** Somebody who can be on duty, by the name that messages say. */
export const DutyPerson = z.object({ wallet_address: Eip55, name: z.string() });
export type DutyPerson = z.infer<typeof DutyPerson>;

/** What is escalated, and after how many minutes without an acknowledgement. */
export const DutyEscalation = z.strictObject({
  /** From when the alert was among the events that are sent. */
  after_minutes: z.int().min(1).max(1_440),
  min_severity: AlertSeverity,
});

/** Who is on duty when: one after the other, a week each, from the hand-over of `starts_on` on. */
export const DutyRota = z.object({
  time_zone: z.string(),
  people: z.array(DutyPerson),
  /** The day of the first hand-over; each later one is on the same day of the week. */
  starts_on: z.string(),
  hand_over: z.string(),
  /** Who stands in, and from when to when; of several at once the last one of the list. */
  overrides: z.array(z.object({ from: IsoTime, to: IsoTime, wallet_address: Eip55 })),
  /** Null: nothing is escalated. An alert of `min_severity` or worse that nobody acknowledges goes to the channels for escalations. */
  escalation: DutyEscalation.nullable(),
});
export type DutyRota = z.infer<typeof DutyRota>;

/** A rota as it is asked for. */
const NewDutyRota = z
  .strictObject({
    time_zone: TimeZone,
    people: z
      .array(z.strictObject({ wallet_address: Address, name: DisplayName }))
      .min(1)
      .max(20),
    starts_on: Day,
    hand_over: TimeOfDay,
    overrides: z.array(z.strictObject({ from: IsoTime, to: IsoTime, wallet_address: Address })).max(50),
    escalation: DutyEscalation.nullable(),
  })
  .superRefine(({ people, overrides }, context) => {
    const known = new Set(people.map(({ wallet_address }) => wallet_address));
    if (known.size < people.length)
      context.addIssue({ code: 'custom', path: ['people'], message: 'must have each wallet once' });
    for (const [index, { from, to, wallet_address }] of overrides.entries()) {
      const fault = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: ['overrides', index, path], message });
      if (Date.parse(from) >= Date.parse(to)) fault('to', 'must be after from');
      if (!known.has(wallet_address)) fault('wallet_address', 'must be one of people');
    }
  });

/** A stretch of duty. */
const Shift = z.object({ from: IsoTime, to: IsoTime, person: DutyPerson, is_override: z.boolean() });

/** The rota of a vault and what follows from it now. */
export const Duty = z.object({
  /** Null: nobody is named. */
  rota: DutyRota.nullable(),
  /** 0 before the first one. */
  version: z.int().nonnegative(),
  updated_by: Eip55.nullable(),
  updated_at: IsoTime.nullable(),
  /** Null without a rota, and before it starts. */
  on_duty: DutyPerson.nullable(),
  /** To whom an alert is escalated; null where there is nobody else. */
  next: DutyPerson.nullable(),
  /** This week's and the next ones, overrides among them. */
  shifts: z.array(Shift),
});
export type Duty = z.infer<typeof Duty>;

/** Who is on duty for a vault. */
export const GetDuty = action('v1.users.duty', {
  callers: { user: 'read' },
  params: VaultRef,
  result: Duty,
});

/** Who is on duty now for each vault that has a rota, of those where the caller has a role. */
export const ListDuty = action('v1.users.dutyNow', {
  callers: { user: 'read' },
  params: z.strictObject({}),
  result: z.object({
    vaults: z.array(
      z.object({ chain_id: ChainId, vault_address: Eip55, on_duty: Duty.shape.on_duty, next: Duty.shape.next }),
    ),
  }),
});

/** Sets the rota of a vault; null takes it away. @throws AppError VERSION_CONFLICT. */
export const SetDuty = action('v1.users.setDuty', {
  callers: { user: 'full' },
  params: z.strictObject({
    chain_id: ChainId,
    vault_address: Address,
    version: z.int().nonnegative(),
    rota: NewDutyRota.nullable(),
  }),
  result: Duty,
});
