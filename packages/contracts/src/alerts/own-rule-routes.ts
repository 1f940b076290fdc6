import { z } from 'zod';
import { Address, ChainIdParam } from '../primitives.ts';
import { route } from '../route.ts';
import { BacktestOwnRule, ChangeOwnRule, CreateOwnRule, DeleteOwnRule, ListOwnRules, OwnRule } from './own-rules.ts';
import { OwnRuleId } from './rules.ts';

const none = z.strictObject({});
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });
const rulePath = z.strictObject({ ...vaultPath.shape, rule_id: OwnRuleId });
const path = '/api/v1/vaults/{chain_id}/{vault_address}/alert-rules';
const VersionParam = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, 'must be the version of the rule that was read')
  .transform(Number);

/** Alert rules that managers make for a vault. */
export const ownRules = {
  /** @example const { rules, metrics } = await client.ownAlertRules({ params: vault }); */
  ownAlertRules: route({
    id: 'ownAlertRules',
    method: 'GET',
    path,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: undefined,
    action: ListOwnRules,
    result: ListOwnRules.result,
    cache: 'etag',
  }),
  /**
   * @example
   * const rule = { title: 'Few depositors', metric: 'depositors', comparison: 'below', threshold: 10, severity: 'info' } as const;
   * const { rule_id } = await client.createOwnAlertRule({ params: vault, body: { rule } });
   */
  createOwnAlertRule: route({
    id: 'createOwnAlertRule',
    method: 'POST',
    path,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: CreateOwnRule.params.pick({ rule: true }),
    action: CreateOwnRule,
    result: OwnRule,
    status: 201,
  }),
  /**
   * @example
   * const rule = { title: 'Few depositors', metric: 'depositors', comparison: 'below', threshold: 5, severity: 'info' } as const;
   * const rule_id = 'own_0123456789abcdef01234567';
   * await client.changeOwnAlertRule({ params: { ...vault, rule_id }, body: { version: 1, rule } });
   */
  changeOwnAlertRule: route({
    id: 'changeOwnAlertRule',
    method: 'PUT',
    path: `${path}/{rule_id}`,
    auth: 'bearer',
    params: rulePath,
    query: none,
    body: ChangeOwnRule.params.pick({ version: true, rule: true }),
    action: ChangeOwnRule,
    result: OwnRule,
  }),
  /**
   * @example
   * const rule_id = 'own_0123456789abcdef01234567';
   * await client.deleteOwnAlertRule({ params: { ...vault, rule_id }, query: { version: '2' } });
   */
  deleteOwnAlertRule: route({
    id: 'deleteOwnAlertRule',
    method: 'DELETE',
    path: `${path}/{rule_id}`,
    auth: 'bearer',
    params: rulePath,
    query: z.strictObject({ version: VersionParam }),
    body: undefined,
    action: DeleteOwnRule,
    result: z.null(),
    status: 204,
    toAnswer: () => ({ status: 204, body: null }),
  }),
  /**
   * @example
   * const rule = { title: 'Few depositors', metric: 'depositors', comparison: 'below', threshold: 10, severity: 'info' } as const;
   * const { episodes } = await client.backtestOwnAlertRule({ params: vault, body: { rule } });
   */
  backtestOwnAlertRule: route({
    id: 'backtestOwnAlertRule',
    method: 'POST',
    path: `${path}/backtest`,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: BacktestOwnRule.params.omit({ chain_id: true, vault_address: true }),
    action: BacktestOwnRule,
    result: BacktestOwnRule.result,
    rate: 'prepare',
    scope: 'read',
  }),
};
