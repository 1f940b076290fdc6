import type { Strategy } from '@castellan/contracts';
import type { Lexicon } from '@castellan/strategy';
import { vaultIdOf } from '../access.ts';
import type { StrategyDocument } from '../domain/strategy.ts';
import { Spellings } from '../spellings.ts';

const spellings = new Spellings();

/** A strategy as it is shown. The public learns what is done, not when: who knew that could trade ahead of it. */
export function strategyView(
  document: StrategyDocument,
  { priority, isRedacted, lexicon }: { priority: number | null; isRedacted: boolean; lexicon: Lexicon },
): Strategy {
  const { definition } = document;
  const open = {
    indicators: definition.indicators,
    rules: definition.rules,
    conviction_config: definition.conviction_config,
    action_config: definition.action_config,
    risk_params: definition.risk_params,
  };
  const { reason: _reason, ...publicAction } = definition.action_config;
  const closed = {
    indicators: null,
    rules: null,
    conviction_config: null,
    action_config: { ...publicAction, size_expr: null, execution_params: {}, reason: null },
    risk_params: null,
  };
  return {
    id: document._id,
    vault_id: vaultIdOf(document.chain_id, document.vault_address),
    kind: document.kind,
    state: document.state,
    lane: document.lane,
    priority,
    version: document.version,
    name: definition.name,
    ...(isRedacted ? closed : open),
    max_concurrent: definition.max_concurrent,
    cooldown_ms: definition.cooldown_ms,
    is_redacted: isRedacted,
    ...(isRedacted ? { spelling: null, written_in: null } : spellings.of(document, lexicon)),
    error: isRedacted ? null : document.error,
    armed: document.armed && { ...document.armed, reason: isRedacted ? null : document.armed.reason },
    warnings: isRedacted ? [] : document.warnings,
    created_at: document.created_at,
    created_by: document.created_by,
    updated_at: document.updated_at,
    updated_by: document.updated_by,
  };
}
