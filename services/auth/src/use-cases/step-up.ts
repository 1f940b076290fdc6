import { AppError, type Caller, type ParamsOf, type ResultOf, type StepUp } from '@castellan/contracts';
import { type AuditEntry, steppedUp } from '../domain/audit-entry.ts';
import type { Session } from '../domain/session.ts';
import { type FullSessionPorts, fullSession } from './full-session.ts';
import { type ProofPorts, provenChallenge } from './prove-wallet.ts';

export type StepUpPorts = FullSessionPorts &
  ProofPorts & {
    sessions: { keepSignature(sid: string, at: Date, row: AuditEntry): Promise<void> };
    signToken: (session: Session, issuedAt: Date) => Promise<string>;
  };

/** The same session and end under a token that says when the wallet has just signed. */
export const stepUp =
  (ports: StepUpPorts) =>
  async (
    params: ParamsOf<typeof StepUp>,
    asking: Caller | undefined,
    network: string,
  ): Promise<ResultOf<typeof StepUp>> => {
    const { session } = await fullSession(ports, asking);
    const { address, nonce, provenOn } = await provenChallenge(ports, params, network);
    if (address !== session.wallet) {
      throw new AppError('SIGNATURE_INVALID', `This session belongs to ${session.wallet}. Sign with that wallet.`);
    }
    // A contract on another chain is somebody else's, perhaps; and of an older session nobody knows on which one it was proven.
    if (provenOn !== null && provenOn !== session.chainId) {
      throw new AppError('SIGNATURE_INVALID', 'This session was not begun by the contract that signed. Sign in again.');
    }
    const signedSeconds = Math.floor(ports.now() / 1000);
    const signedAt = new Date(signedSeconds * 1000);
    await ports.sessions.keepSignature(session.sid, signedAt, steppedUp(session, nonce, signedAt));
    return {
      access_token: await ports.signToken({ ...session, authTime: signedAt }, signedAt),
      token_type: 'Bearer',
      expires_in: Math.max(1, Math.floor(session.expiresAt.getTime() / 1000) - signedSeconds),
      wallet_address: session.wallet,
    };
  };
