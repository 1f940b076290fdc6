import type { Logger } from '@castellan/service-kit';
import type { Journal } from '../journal/adapters/journal.mongo.ts';
import { alertOwnRules, type OwnRuleCollections } from '../rules/models/own-rules.ts';

type Deps = { collections: OwnRuleCollections; journal: Journal; log: Logger };

/** Rules that managers made, changed or deleted become known to the evaluator in their place among the facts. */
export async function journalOwnRules(
  { collections: { ownRules }, journal, log }: Deps,
  chain_id: number,
  clock: number,
): Promise<void> {
  for (const document of await ownRules.find({ chain_id, pending: true }).toArray()) {
    const { success } = alertOwnRules.shape.safeParse(document);
    const { vault, rule_id, rule, asset, version, deleted } = document;
    if (!success) {
      log.error('ignored a stored own rule that is malformed', { chain_id, rule_id: String(rule_id) });
      continue;
    }
    const events = [{ type: 'own_rule' as const, rule_id, rule: deleted ? null : { ...rule, asset } }];
    await journal.append(
      { chain_id, vault },
      { id: `own_rule:${rule_id}:${version}`, time: 0, block: null, events },
      clock,
    );
    const same = { chain_id, vault, rule_id, version };
    if (deleted) await ownRules.deleteOne(same);
    else await ownRules.updateOne(same, { $unset: { pending: '' as const } });
  }
}
