import { type Caller, isProvenOn, isWithinBinding, type ListSessions, type ResultOf } from '@castellan/contracts';
import type { Session } from '../domain/session.ts';
import { describeSession } from './describe-session.ts';
import { known } from './full-session.ts';

export type ListSessionsPorts = {
  sessions: { list(wallet: string, at: Date): Promise<Session[]> };
  now: () => number;
  issuer: string;
};

/**
 * Whether the session is the caller's to see and to end: a wallet that is proven on one chain has nothing to do with what was proven on
 * another one. Of older sessions nobody knows; that anybody who may be their owner can end them is the safe side.
 */
export const isOfChain = (caller: Caller, { chainId }: Session): boolean =>
  chainId === null || isProvenOn(caller, chainId);

/** A token bound to a vault sees what is bound to that vault. */
const isShownTo = (caller: Caller, session: Session): boolean =>
  isOfChain(caller, session) &&
  (caller.vault === undefined || (session.vault !== null && isWithinBinding(caller, session.vault)));

export const listSessions =
  (ports: ListSessionsPorts) =>
  async (asking: Caller | undefined): Promise<ResultOf<typeof ListSessions>> => {
    const caller = known(asking);
    const found = await ports.sessions.list(caller.wallet_address, new Date(ports.now()));
    const shown = found.filter((session) => isShownTo(caller, session));
    return { sessions: shown.map((session) => describeSession(session, caller, ports.issuer)) };
  };
