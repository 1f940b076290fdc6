import type { CreateToken, ParamsOf, ResultOf } from '@castellan/contracts';
import { type AuditEntry, signedIn } from '../domain/audit-entry.ts';
import type { Session } from '../domain/session.ts';
import { type ProofPorts, provenChallenge } from './prove-wallet.ts';

export type CreateTokenPorts = ProofPorts & {
  sessions: { begin(session: Session): Promise<void> };
  record: (entry: AuditEntry) => Promise<void>;
  signToken: (session: Session, issuedAt: Date) => Promise<string>;
  makeSessionId: () => string;
  sessionSeconds: number;
};

export const createToken =
  (ports: CreateTokenPorts) =>
  async (params: ParamsOf<typeof CreateToken>): Promise<ResultOf<typeof CreateToken>> => {
    const { address } = await provenChallenge(ports, params);
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
      authTime: issuedAt,
      issuedAt,
      expiresAt: new Date((issuedSeconds + ports.sessionSeconds) * 1000),
      revokedAt: null,
    };
    await ports.sessions.begin(session);
    await ports.record(signedIn(session, params.method));
    return {
      access_token: await ports.signToken(session, issuedAt),
      token_type: 'Bearer',
      expires_in: ports.sessionSeconds,
      wallet_address: session.wallet,
    };
  };
