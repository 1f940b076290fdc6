import { type Analysis, AppError, type GetAnalysis, type ParamsOf, type VaultDetail } from '@castellan/contracts';
import type { Call, CallAction, Logger } from '@castellan/service-kit';
import type { Analyst } from '../../analyst/analyst.ts';
import type { Budgets } from '../../budgets/budgets.ts';
import { readContext, readVault } from '../../context/read-context.ts';
import type { Rights } from '../../context/rights.ts';
import type { VaultContext } from '../../context/vault-context.ts';
import type { AiMetrics } from '../../telemetry/metrics.ts';
import type { Analyses, CachedAnalysis } from '../ports.ts';
import { checkedDraft, type Outcome, soundTexts } from './checked-analysis.ts';

export type AnalysisDeps = {
  analyst: Analyst;
  /** Who writes when the analyst cannot, or when its budget is spent. */
  rules: Analyst;
  analyses: Analyses;
  budgets: Budgets;
  /** Calls that outlive the request they were made for: the writing goes on after its caller got NOT_READY. */
  callAction: CallAction;
  cache: { blocks: number; seconds: number };
  /** How long one writing may take in all, and how long a caller waits for it. */
  timeoutMs: number;
  answerWithinMs: number;
  metrics: AiMetrics;
  log: Logger;
  now: () => number;
  wait: (ms: number) => Promise<void>;
};

/** Who is asking: nobody reads an analysis without a token. */
export function rightsOf({ caller, callAction }: Call): Rights {
  if (!caller) throw new AppError('TOKEN_MISSING', 'Sign in first.');
  return { caller, callAction };
}

const idOf = ({ chain_id, vault_address }: VaultDetail, { provider, model }: Analyst): string =>
  `${chain_id}:${vault_address.toLowerCase()}:${provider}:${model}`;

/** What an analysis must not outlive, whatever its age. */
const stateOf = ({ operational_state, pps_status, is_pps_stale }: VaultDetail): string =>
  `${operational_state} ${pps_status} ${is_pps_stale}`;

function isCurrent(cached: CachedAnalysis, detail: VaultDetail, { cache, now }: AnalysisDeps): boolean {
  const blocks = detail.block_number - cached.blockNumber;
  const isInRange = blocks >= 0 && blocks <= cache.blocks;
  return isInRange && now() - cached.generatedAt < cache.seconds * 1000 && cached.state === stateOf(detail);
}

/** Writes with the analyst, and with the rules when it cannot be reached. */
async function written(deps: AnalysisDeps, analyst: Analyst, context: VaultContext) {
  const { metrics, log, rules, timeoutMs } = deps;
  const end = metrics.runSeconds.startTimer({ provider: analyst.provider });
  let by = analyst;
  let outcome: Outcome;
  let result: Awaited<ReturnType<typeof checkedDraft>>;
  try {
    result = await checkedDraft(analyst, context, AbortSignal.timeout(timeoutMs));
    outcome = result.outcome;
  } catch (error) {
    log.warn('analyst failed', { provider: analyst.provider, vault: context.vaultAddress, error });
    by = rules;
    outcome = 'unavailable';
    result = await checkedDraft(rules, context, AbortSignal.timeout(timeoutMs));
  } finally {
    end();
  }
  metrics.runs.inc({ provider: analyst.provider, outcome });
  metrics.ungrounded.inc(result.refused);
  metrics.tokens.inc({ direction: 'input' }, result.draft.usage.inputTokens);
  metrics.tokens.inc({ direction: 'output' }, result.draft.usage.outputTokens);
  return { by, draft: result.draft };
}

/** Reads, writes, checks and keeps one analysis. */
async function generate(deps: AnalysisDeps, rights: Rights, detail: VaultDetail, id: string): Promise<Analysis> {
  const vault = { chain_id: detail.chain_id, vault_address: detail.vault_address };
  const context = await readContext(rights, vault, detail);
  const budget = `${vault.chain_id}:${vault.vault_address.toLowerCase()}`;
  const reserved = await deps.budgets.reserveTokens(budget);
  // Those that cannot be given back stay set aside; the text is no worse for it.
  const settle = (used: number) =>
    reserved
      ?.settle(used)
      .catch((error: unknown) => deps.log.error('could not give back the tokens of an analysis', { error }));
  const { by, draft } = await written(deps, reserved ? deps.analyst : deps.rules, context).catch(
    async (error: unknown) => {
      await settle(0);
      throw error;
    },
  );
  await settle(draft.usage.inputTokens + draft.usage.outputTokens);
  const generatedAt = deps.now();
  const body: Analysis = {
    ...vault,
    generated_at: new Date(generatedAt).toISOString(),
    block_number: context.blockNumber,
    model: by.model,
    provider: by.provider,
    ...soundTexts(context, draft),
  };
  await deps.analyses.save(id, { state: stateOf(detail), blockNumber: detail.block_number, generatedAt, body });
  return body;
}

const pollMs = 250;

/** One writing: who asks, what about, and which text was there before. */
type Run = { rights: Rights; detail: VaultDetail; id: string; seen: CachedAnalysis | undefined };

/** Writes, or waits for the process that is writing the same. */
async function generateOnce(deps: AnalysisDeps, { rights, detail, id, seen }: Run): Promise<Analysis> {
  for (;;) {
    const unlock = await deps.analyses.lock(id);
    if (unlock) {
      try {
        // Another process may have written it since we looked.
        const now = await deps.analyses.find(id);
        if (now && now.generatedAt !== seen?.generatedAt) return now.body;
        return await generate(deps, rights, detail, id);
      } finally {
        await unlock();
      }
    }
    await deps.wait(pollMs);
  }
}

const notYet = () =>
  new AppError('NOT_READY', 'The analysis is being written. Ask again in a few seconds.', {
    data: { retry_after_seconds: 3 },
  });

/**
 * The analysis of a vault: from the cache while it stands, else written, once for all who ask at the same time. A caller that waits
 * longer than the bus does gets NOT_READY; the writing goes on.
 */
export function getAnalysis(deps: AnalysisDeps) {
  const running = new Map<string, Promise<Analysis>>();
  const start = (run: Run): Promise<Analysis> => {
    const known = running.get(run.id);
    if (known) return known;
    const begun = generateOnce(deps, run).finally(() => running.delete(run.id));
    begun.catch((error: unknown) => deps.log.warn('analysis failed', { vault: run.detail.vault_address, error }));
    running.set(run.id, begun);
    return begun;
  };
  return async (params: ParamsOf<typeof GetAnalysis>, call: Call): Promise<Analysis> => {
    const rights = rightsOf(call);
    const detail = await readVault(rights, { chain_id: params.chain_id, vault_address: params.vault_address });
    const id = idOf(detail, deps.analyst);
    if (params.refresh) {
      const seconds = await deps.budgets.secondsUntilRefresh(rights.caller.wallet_address);
      if (seconds > 0)
        throw new AppError(
          'AI_BUDGET_SPENT',
          'You asked for as many new analyses as an hour allows. Read the last one.',
          {
            data: { retry_after_seconds: seconds },
          },
        );
    }
    const seen = await deps.analyses.find(id);
    if (!params.refresh && seen && isCurrent(seen, detail, deps)) return seen.body;
    const late = deps.wait(deps.answerWithinMs).then(() => {
      throw notYet();
    });
    return Promise.race([start({ rights: { ...rights, callAction: deps.callAction }, detail, id, seen }), late]);
  };
}
