import {
  CreateNonce,
  CreateScopedToken,
  CreateToken,
  EndSession,
  GetJwks,
  GetOpenidConfiguration,
  GetRoles,
  ListSessions,
  RevokeSession,
  StepUp,
} from '@castellan/contracts';
import { type Call, type CallAction, implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { type CreateNoncePorts, createNonce } from './use-cases/create-nonce.ts';
import { type CreateScopedTokenPorts, createScopedToken } from './use-cases/create-scoped-token.ts';
import { type CreateTokenPorts, createToken } from './use-cases/create-token.ts';
import { describeIssuer } from './use-cases/describe-issuer.ts';
import { type EndSessionPorts, endSession, revokeSession } from './use-cases/end-session.ts';
import type { RolesOf } from './use-cases/end-tokens-of-vault.ts';
import { type ListSessionsPorts, listSessions } from './use-cases/list-sessions.ts';
import { type StepUpPorts, stepUp } from './use-cases/step-up.ts';

export type AuthPorts = CreateNoncePorts &
  CreateTokenPorts &
  CreateScopedTokenPorts &
  StepUpPorts &
  ListSessionsPorts &
  EndSessionPorts & { publicKeys: () => Record<string, unknown>[]; count: (outcome: string) => void };

export const rolesThrough =
  (callAction: CallAction): RolesOf =>
  async (wallet_address) =>
    (await callAction(GetRoles, { wallet_address })).roles;

/** Calls that come through no gateway share one budget. */
const networkOf = ({ network = 'none' }: Call): string => network;

export const authService = (ports: AuthPorts): ServiceSchema => {
  const exchange = createToken(ports);
  return {
    name: 'auth',
    version: 1,
    actions: {
      nonce: implement(CreateNonce, (params, call) => createNonce(ports)(params, networkOf(call))),
      token: implement(CreateToken, async (params, call) => {
        try {
          const token = await exchange(params, networkOf(call));
          ports.count('ok');
          return token;
        } catch (error) {
          ports.count((error as { code?: string }).code ?? 'INTERNAL');
          throw error;
        }
      }),
      logout: implement(EndSession, (_params, { caller }) => endSession(ports)(caller)),
      sessions: implement(ListSessions, (_params, { caller }) => listSessions(ports)(caller)),
      createScopedToken: implement(CreateScopedToken, (params, { caller }) => createScopedToken(ports)(params, caller)),
      revokeSession: implement(RevokeSession, (params, { caller }) => revokeSession(ports)(params, caller)),
      stepUp: implement(StepUp, (params, call) => stepUp(ports)(params, call.caller, networkOf(call))),
      jwks: implement(GetJwks, () => ({ keys: ports.publicKeys() })),
      openidConfiguration: implement(GetOpenidConfiguration, () => describeIssuer(ports.issuer)),
    },
  };
};
