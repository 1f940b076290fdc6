import { DisplayName } from '@castellan/contracts';
import { isTimeZone, ownTimeZone } from '../alerts/quiet-hours-inputs.tsx';
import type { Api } from '../client/api.ts';
import { momentOf } from '../moment/moment.ts';

export type DutyAnswer = Awaited<ReturnType<Api['duty']>>;
export type Rota = NonNullable<DutyAnswer['rota']>;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Where a form begins: the rota there is, or one of nobody that starts on the day of the chain's time. */
export const draftOf = ({ rota }: DutyAnswer, today: string): Rota =>
  rota ?? {
    time_zone: ownTimeZone(),
    people: [{ wallet_address: '', name: '' }],
    starts_on: today.slice(0, 10),
    hand_over: '09:00',
    overrides: [],
    escalation: { after_minutes: 15, min_severity: 'critical' },
  };

/** What is wrong with a rota, the first of it; undefined for one that can be saved. */
export function rotaFault(rota: Rota): string | undefined {
  const { people, overrides, escalation } = rota;
  const nobody = people.findIndex(({ wallet_address }) => !ADDRESS.test(wallet_address));
  if (people.length === 0) return 'Name at least one person.';
  if (nobody >= 0) return `Person ${nobody + 1} needs an address: 0x and 40 hexadecimal digits.`;
  const nameless = people.findIndex(({ name }) => !DisplayName.safeParse(name).success);
  if (nameless >= 0) return `Person ${nameless + 1} needs a name of 1 to 64 characters.`;
  if (new Set(people.map(({ wallet_address }) => wallet_address.toLowerCase())).size < people.length)
    return 'Each wallet can be there once.';
  if (!isTimeZone(rota.time_zone)) return 'Choose a time zone such as Europe/Zurich.';
  if (rota.starts_on === '' || rota.hand_over === '') return 'Give the day and the time of the first hand-over.';
  const timeless = overrides.some(({ from, to }) => momentOf(from).at === undefined || momentOf(to).at === undefined);
  if (timeless) return 'An override needs a beginning and an end.';
  if (overrides.some(({ from, to }) => Date.parse(from) >= Date.parse(to)))
    return 'An override must end after it begins.';
  const known = new Set(people.map(({ wallet_address }) => wallet_address.toLowerCase()));
  if (overrides.some(({ wallet_address }) => !known.has(wallet_address.toLowerCase())))
    return 'Who stands in must be one of the people.';
  if (escalation !== null && !(escalation.after_minutes >= 1 && escalation.after_minutes <= 1_440))
    return 'Escalate after 1 to 1 440 minutes.';
  return undefined;
}
