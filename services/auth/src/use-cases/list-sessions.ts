import { type Caller, isWithinBinding, type ListSessions, type ResultOf } from '@castellan/contracts';
import type { Session } from '../domain/session.ts';
import { describeSession } from './describe-session.ts';
import { known } from './full-session.ts';

export type ListSessionsPorts = {
  sessions: { list(wallet: string, at: Date): Promise<Session[]> };
  now: () => number;
  issuer: string;
};

/** A token bound to a vault sees what is bound to that vault. */
const isShownTo = (caller: Caller, { vault }: Session): boolean =>
  caller.vault === undefined || (vault !== null && isWithinBinding(caller, vault));

export const listSessions =
  (ports: ListSessionsPorts) =>
  async (asking: Caller | undefined): Promise<ResultOf<typeof ListSessions>> => {
    const caller = known(asking);
    const found = await ports.sessions.list(caller.wallet_address, new Date(ports.now()));
    const shown = found.filter((session) => isShownTo(caller, session));
    return { sessions: shown.map((session) => describeSession(session, caller, ports.issuer)) };
  };
