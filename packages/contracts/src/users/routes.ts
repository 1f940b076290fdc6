import { z } from 'zod';
import { Address, ChainId, ChainIdParam, CursorParam, DisplayName, LimitParam } from '../primitives.ts';
import { route } from '../route.ts';
import { GrantViewOnly, ListUsers, RevokeViewOnly, SetDisplayName } from './users.ts';

const none = z.strictObject({});

/** Who has a role on a vault. */
export const users = {
  /** @example const { users } = await client.users({ query: vault }); */
  users: route({
    id: 'users',
    method: 'GET',
    path: '/api/v1/users',
    auth: 'bearer',
    params: none,
    query: z.strictObject({
      vault_address: Address,
      chain_id: ChainIdParam,
      limit: LimitParam.optional(),
      cursor: CursorParam.optional(),
    }),
    body: undefined,
    result: ListUsers.result,
    action: ListUsers,
    cache: 'etag',
  }),
  /** @example await client.grantViewOnly({ body: { ...target, wallet_address }, idempotencyKey: 'grant-1' }); */
  grantViewOnly: route({
    id: 'grantViewOnly',
    method: 'POST',
    path: '/api/v1/users/view-only',
    auth: 'bearer',
    params: none,
    query: none,
    body: GrantViewOnly.params,
    result: GrantViewOnly.result.shape.user,
    status: 201,
    action: GrantViewOnly,
    toAnswer: ({ created, user }: { created: boolean; user: unknown }) => ({ status: created ? 201 : 200, body: user }),
  }),
  /** @example await client.revokeViewOnly({ params: { wallet_address }, query: vault }); */
  revokeViewOnly: route({
    id: 'revokeViewOnly',
    method: 'DELETE',
    path: '/api/v1/users/view-only/{wallet_address}',
    auth: 'bearer',
    params: z.strictObject({ wallet_address: Address }),
    query: z.strictObject({ vault_address: Address, chain_id: ChainIdParam }),
    body: undefined,
    result: z.null(),
    status: 204,
    action: RevokeViewOnly,
    toAnswer: () => ({ status: 204, body: null }),
  }),
  /** @example await client.setDisplayName({ params: { wallet_address }, body: { display_name: 'Treasury' } }); */
  setDisplayName: route({
    id: 'setDisplayName',
    method: 'PATCH',
    path: '/api/v1/users/{wallet_address}/display-name',
    auth: 'bearer',
    params: z.strictObject({ wallet_address: Address }),
    query: none,
    body: z.strictObject({
      display_name: DisplayName,
      vault_address: Address.optional(),
      chain_id: ChainId.optional(),
      version: z.int().nonnegative().optional(),
    }),
    result: SetDisplayName.result,
    action: SetDisplayName,
  }),
};
