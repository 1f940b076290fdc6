import { z } from 'zod';
import { Address, ChainIdParam, CursorParam, LimitParam } from '../primitives.ts';
import { route } from '../route.ts';
import { GetMandateStatus, ListMandateBreaches } from './status.ts';

const none = z.strictObject({});
/** Path of everything about the mandate of a vault. */
export const mandatePath = '/api/v1/vaults/{chain_id}/{vault_address}/mandate';
const path = mandatePath;
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });
/** How pages of a list about mandates are asked for. */
export const pageQuery = z.strictObject({ limit: LimitParam.optional(), cursor: CursorParam.optional() });

/** What everybody may read of a mandate that is public. Apart from its document, which a first page need not carry. */
export const publicMandates = {
  /** @example const { state, promises } = await client.mandateStatus({ params: vault }); */
  mandateStatus: route({
    id: 'mandateStatus',
    method: 'GET',
    path: `${path}/status`,
    auth: 'optional',
    params: vaultPath,
    query: none,
    body: undefined,
    action: GetMandateStatus,
    result: GetMandateStatus.result,
    cache: 'etag',
  }),
  /** @example const { breaches } = await client.mandateBreaches({ params: vault }); */
  mandateBreaches: route({
    id: 'mandateBreaches',
    method: 'GET',
    path: `${path}/breaches`,
    auth: 'optional',
    params: vaultPath,
    query: pageQuery,
    body: undefined,
    action: ListMandateBreaches,
    result: ListMandateBreaches.result,
    cache: 'etag',
  }),
};
