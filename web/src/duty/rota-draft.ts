import { DisplayName } from '@castellan/contracts';
import { isTimeZone, ownTimeZone } from '../alerts/quiet-hours-inputs.tsx';
import type { Api } from '../client/api.ts';
import { momentOf } from '../moment/moment.ts';

export type DutyAnswer = Awaited<ReturnType<Api['duty']>>;
export type Rota = NonNullable<DutyAnswer['rota']>;

/** A person keeps their `key` while the address is typed, so that who stands in stays the same person. */
export type DraftPerson = Rota['people'][number] & { key: string };
export type DraftOverride = { from: string; to: string; person: string };
export type RotaDraft = Omit<Rota, 'people' | 'overrides'> & { people: DraftPerson[]; overrides: DraftOverride[] };

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

const aPerson = (number: number): DraftPerson => ({ key: `new ${number}`, wallet_address: '', name: '' });

/** People who were stored have their address as key: the same in each version, so that one draft goes on top of another. */
export const draftOf = ({ rota }: DutyAnswer, today: string): RotaDraft =>
  rota === null
    ? {
        time_zone: ownTimeZone(),
        people: [aPerson(1)],
        starts_on: today.slice(0, 10),
        hand_over: '09:00',
        overrides: [],
        escalation: { after_minutes: 15, min_severity: 'critical' },
      }
    : {
        ...rota,
        people: rota.people.map((person) => ({ ...person, key: person.wallet_address.toLowerCase() })),
        overrides: rota.overrides.map(({ from, to, wallet_address }) => ({
          from,
          to,
          person: wallet_address.toLowerCase(),
        })),
      };

/** One more person, whose key no override has, not even that of a person who was removed. */
export function withPerson(draft: RotaDraft): RotaDraft {
  const used = new Set([...draft.people.map(({ key }) => key), ...draft.overrides.map(({ person }) => person)]);
  let number = draft.people.length + 1;
  while (used.has(aPerson(number).key)) number += 1;
  return { ...draft, people: [...draft.people, aPerson(number)] };
}

/** The rota as it is sent; an override whose person is gone has no address. */
export const rotaOf = ({ people, overrides, ...rest }: RotaDraft): Rota => ({
  ...rest,
  people: people.map(({ wallet_address, name }) => ({ wallet_address, name })),
  overrides: overrides.map(({ from, to, person }) => ({
    from,
    to,
    wallet_address: people.find(({ key }) => key === person)?.wallet_address ?? '',
  })),
});

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
  const unknown = overrides.findIndex(({ wallet_address }) => !known.has(wallet_address.toLowerCase()));
  if (unknown >= 0) return `Choose the person of override ${unknown + 1}: one of the people above.`;
  if (escalation !== null && !(escalation.after_minutes >= 1 && escalation.after_minutes <= 1_440))
    return 'Escalate after 1 to 1 440 minutes.';
  return undefined;
}
