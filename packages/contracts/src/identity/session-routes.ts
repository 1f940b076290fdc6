import { z } from 'zod';
import { route } from '../route.ts';
import { CreateToken } from './auth.ts';
import { CreateScopedToken, ListSessions, RevokeSession, StepUp } from './sessions.ts';

const none = z.strictObject({});

/** Routes of the sessions and tokens of a wallet. */
export const sessions = {
  /** @example const { sessions } = await client.listSessions({}); */
  listSessions: route({
    id: 'listSessions',
    method: 'GET',
    path: '/api/v1/auth/sessions',
    auth: 'bearer',
    openToBoundTokens: true,
    params: none,
    query: none,
    body: undefined,
    result: ListSessions.result,
    action: ListSessions,
  }),
  /**
   * @example
   * const body = { name: 'dashboard', scope: 'read', expires_in_seconds: 86_400 } as const;
   * const { access_token } = await client.createScopedToken({ body });
   */
  createScopedToken: route({
    id: 'createScopedToken',
    method: 'POST',
    path: '/api/v1/auth/tokens',
    auth: 'bearer',
    rate: 'prepare',
    scope: 'full',
    params: none,
    query: none,
    body: CreateScopedToken.params,
    result: CreateScopedToken.result,
    status: 201,
    action: CreateScopedToken,
  }),
  /** @example await client.revokeSession({ params: { id } }); */
  revokeSession: route({
    id: 'revokeSession',
    method: 'DELETE',
    path: '/api/v1/auth/sessions/{id}',
    auth: 'bearer',
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    query: none,
    body: undefined,
    result: z.null(),
    status: 204,
    action: RevokeSession,
    toAnswer: () => ({ status: 204, body: null }),
  }),
  /** @example await client.stepUp({ body: { method: 'siwe', message, signature } }); */
  stepUp: route({
    id: 'stepUp',
    method: 'POST',
    path: '/api/v1/auth/step-up',
    auth: 'bearer',
    rate: 'idp',
    scope: 'full',
    params: none,
    query: none,
    body: CreateToken.params,
    result: CreateToken.result,
    action: StepUp,
  }),
};
