import { z } from 'zod';
import { Address, Hash } from '../primitives.ts';
import { route } from '../route.ts';
import { paging, split } from '../strategies/route-parts.ts';
import { VaultId } from '../strategies/shapes.ts';
import {
  GetValidatorHistory,
  GetValidatorRound,
  ListValidatorRounds,
  RoundFilter,
  ValidatorWindow,
} from './validator-history.ts';

const historyMs = 20_000;
/** A round that is not over moves with each message. */
const roundMs = 1_000;
/** An epoch, or a round within one. */
const PlaceParam = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,9})$/, 'must be a decimal number of at most ten digits')
  .transform(Number);

/** The oracle network over time. Apart from the other public routes, whose page does not ask for it. */
export const validatorHistoryRoutes = {
  /** @example const { nodes, buckets } = await client.validatorHistory({ query: { window: '7d' } }); */
  validatorHistory: route({
    id: 'validatorHistory',
    method: 'GET',
    path: '/api/v1/validators/history',
    auth: 'public',
    params: z.strictObject({}),
    query: z.strictObject({
      window: ValidatorWindow.optional(),
      signer: Address.optional(),
      vault_id: VaultId.optional(),
    }),
    body: undefined,
    toParams: split,
    result: GetValidatorHistory.result,
    action: GetValidatorHistory,
    cache: 'etag',
    // It is folded of hours of rounds; a round more moves it little.
    sharing: { with: 'everybody', from: 'time' },
    staleMs: historyMs,
  }),
  /** @example const { rounds, next_cursor } = await client.validatorRounds({ query: { filter: 'incomplete', limit: '20' } }); */
  validatorRounds: route({
    id: 'validatorRounds',
    method: 'GET',
    path: '/api/v1/validators/rounds',
    auth: 'public',
    params: z.strictObject({}),
    query: z.strictObject({
      signer: Address.optional(),
      vault_id: VaultId.optional(),
      filter: RoundFilter.optional(),
      ...paging,
    }),
    body: undefined,
    toParams: split,
    result: ListValidatorRounds.result,
    action: ListValidatorRounds,
    cache: 'etag',
    sharing: { with: 'everybody', from: 'time' },
    staleMs: roundMs,
  }),
  /** @example const { prices, transactions } = await client.validatorRound({ params: { config_digest, epoch: '1', round: '7' } }); */
  validatorRound: route({
    id: 'validatorRound',
    method: 'GET',
    path: '/api/v1/validators/rounds/{config_digest}/{epoch}/{round}',
    auth: 'public',
    params: z.strictObject({ config_digest: Hash, epoch: PlaceParam, round: PlaceParam }),
    query: z.strictObject({}),
    body: undefined,
    result: GetValidatorRound.result,
    action: GetValidatorRound,
    cache: 'etag',
    sharing: { with: 'everybody', from: 'time' },
    staleMs: roundMs,
  }),
};
