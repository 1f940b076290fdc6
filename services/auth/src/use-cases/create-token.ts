import type { CreateToken, ParamsOf, ResultOf } from '@castellan/contracts';
import { type AuditEntry, signedIn } from '../domain/audit-entry.ts';
import type { Session } from '../domain/session.ts';
import type { EndSessionPorts } from './end-session.ts';
import { type ProofPorts, provenChallenge } from './prove-wallet.ts';

export type CreateTokenPorts = ProofPorts &
  EndSessionPorts & {
    sessions: {
      begin(session: Session, row: AuditEntry): Promise<void>;
      /** Live sign-ins of the wallet, proven on the same chain, beside `sid`, but for so many of the newest. */
      listSurplus(of: Pick<Session, 'wallet' | 'chainId' | 'sid'> & { kept: number }, at: Date): Promise<Session[]>;
    };
    signToken: (session: Session, issuedAt: Date) => Promise<string>;
    makeSessionId: () => string;
    sessionSeconds: number;
    sessionsPerWallet: number;
  };

/** Ends the oldest sign-ins of a wallet that has more than it may: one that signs in again and again locks nobody out. */
async function endSurplus(ports: CreateTokenPorts, { wallet, chainId, sid, issuedAt }: Session): Promise<void> {
  const kept = ports.sessionsPerWallet - 1;
  for (const surplus of await ports.sessions.listSurplus({ wallet, chainId, sid, kept }, issuedAt))
    await ports.sessions.end(surplus.sid, new Date(ports.now()), 'too_many_sessions');
}

export const createToken =
  (ports: CreateTokenPorts) =>
  async (params: ParamsOf<typeof CreateToken>, network: string): Promise<ResultOf<typeof CreateToken>> => {
    const { address, provenOn } = await provenChallenge(ports, params, network);
    const issuedSeconds = Math.floor(ports.now() / 1000);
    const issuedAt = new Date(issuedSeconds * 1000);
    const session: Session = {
      sid: ports.makeSessionId(),
      kind: 'session',
      name: null,
      scope: 'full',
      vault: null,
      parent: null,
      wallet: address,
      chainId: provenOn,
      authTime: issuedAt,
      issuedAt,
      expiresAt: new Date((issuedSeconds + ports.sessionSeconds) * 1000),
      revokedAt: null,
    };
    await ports.sessions.begin(session, signedIn(session, params.method));
    await endSurplus(ports, session);
    return {
      access_token: await ports.signToken(session, issuedAt),
      token_type: 'Bearer',
      expires_in: ports.sessionSeconds,
      wallet_address: session.wallet,
    };
  };
