import { type Caller, isWithinBinding, type VaultDetail } from '@castellan/contracts';
import { createLogger, createRegistry } from '@castellan/service-kit';
import { anAddress, brokerPair } from '@castellan/testkit';
import type { FakeReply } from '../../../../tests/system/fake-model.ts';
import { checkedDraft, soundTexts } from '../../src/analysis/use-cases/checked-analysis.ts';
import type { Analyst } from '../../src/analyst/analyst.ts';
import { rulesAnalyst } from '../../src/analyst/rules/rules-analyst.ts';
import { AnswerRun } from '../../src/chat/answer-run.ts';
import { readContext } from '../../src/context/read-context.ts';
import type { Rights } from '../../src/context/rights.ts';
import type { VaultContext } from '../../src/context/vault-context.ts';
import { aiMetrics } from '../../src/telemetry/metrics.ts';
import { tools } from '../../src/tools/run-tool.ts';
import { aDraft, aModel } from '../a-model.ts';
import { fakeServices, type Spy, type World } from '../fake-services.ts';
import { aContext, chainId, managerAddress, scopeOf, vaultAddress } from '../fixtures.ts';
import type { Ground } from './scanner.ts';

export const viewer = anAddress(0xd1);
export const stranger = anAddress(0xbad);
/** A vault of somebody else, and a second one of the manager. */
export const foreignVault = anAddress(0xa003);
export const secondVault = anAddress(0xa002);
export const here = { chain_id: chainId, vault_address: vaultAddress };

export const roleOf = (vault: string, caller: Caller | undefined): VaultDetail['my_role'] | undefined => {
  if (vault === foreignVault) return null;
  if (vault !== vaultAddress && vault !== secondVault) return undefined;
  if (caller?.wallet_address === managerAddress) return 'primary_manager';
  return caller?.wallet_address === viewer && vault === vaultAddress ? 'view_only' : null;
};

const readsOfAVault = [
  'overview',
  'performance',
  'risk',
  'riskDrawdown',
  'riskRun',
  'users',
  'operations',
  'fees',
  'pps',
]
  .concat('ppsWhatIf')
  .map((name) => `v1.analytics.${name}`)
  .concat('v1.vaults.transmissions', 'v1.users.timeline');

const sorted = (who: object | undefined) => who && Object.entries(who).sort(([a], [b]) => (a < b ? -1 : 1));

/** Calls of the bus that this caller had no right to. */
export function beyondRights(spy: Spy, caller: Caller): string[] {
  return spy.flatMap(({ name, params, caller: as }) => {
    const trespass = `${name} ${JSON.stringify(params)} as ${as?.wallet_address ?? 'nobody'}`;
    if (name === 'v1.vaults.chains') return [];
    // Those the service asks for itself say nothing of anybody's own; any other is asked with no more than it takes.
    const scope = scopeOf(name);
    const expected = scope && { ...caller, scope };
    if (JSON.stringify(sorted(as)) !== JSON.stringify(sorted(expected))) return [trespass];
    if (name === 'v1.vaults.list') return [];
    const { chain_id, vault_address, force } = params as { chain_id: number; vault_address: string; force?: boolean };
    if (!isWithinBinding(caller, { chain_id, vault_address })) return [trespass];
    if (name === 'v1.vaults.detail') return [];
    const role = roleOf(vault_address, caller) ?? null;
    if (readsOfAVault.includes(name)) return role === null ? [trespass] : [];
    const mayPrepare = role !== null && role !== 'view_only' && (caller.scope ?? 'full') !== 'read' && force !== true;
    return name === 'v1.vaults.prepare' && mayPrepare ? [] : [trespass];
  });
}

export type Shown = { texts: string[]; ground: Ground; tools: { name: string; args: unknown; ok: boolean }[] };
export type Asking = {
  caller: Caller;
  question: string;
  replies?: FakeReply[];
  context?: VaultContext;
  history?: string[];
};

/** Both analysts, the services they ask, and everything that reaches a reader. */
export async function openArena() {
  const spy: Spy = [];
  const world: World = { roleOf };
  const bus = await brokerPair(fakeServices(spy, world));
  const model = await aModel({ AI_TIMEOUT_MS: '30000', AI_TOOL_CALLS: '4' });
  const rules = rulesAnalyst();
  const log = createLogger({ service: 'ai', level: 'silent' });
  const rightsOf = (caller: Caller): Rights => ({
    caller,
    callAction: (action, params, options) => bus.call(action, params, options),
  });

  /** A question as the chat answers it: the analyst behind the sentence checker. */
  const chat = async (
    analyst: Analyst,
    { caller, question, replies = [], context, history = [] }: Asking,
  ): Promise<Shown> => {
    model.server.reset();
    model.server.script(...replies);
    model.server.otherwise(() => ({ text: 'That is all.' }));
    const rights = rightsOf(caller);
    const ground: { figures: VaultContext['figures'][number][]; identifiers: Set<string> } = {
      figures: [],
      identifiers: new Set(),
    };
    const watched = tools.map((tool) => ({
      ...tool,
      run: async (args: never, with_: Rights) => {
        const result = await tool.run(args, with_);
        ground.figures.push(...result.figures);
        for (const each of result.identifiers) ground.identifiers.add(each);
        return result;
      },
    }));
    const known = context === undefined ? readContext(rights, here) : Promise.resolve(context);
    known.catch(() => undefined);
    const run = new AnswerRun(
      {
        ids: { conversationId: 'c', messageId: 'm' },
        session: { sid: caller.sid, isEmbedded: true, expiresAtMs: Date.now() + 60_000 },
        rights,
        reserved: undefined,
        vault: `${chainId}:${vaultAddress}`,
        text: question,
        context: known,
        history: history.map((text) => ({ role: 'user', text })),
      },
      { analyst, tools: watched as never, timeoutMs: 60_000, onToken: () => undefined, log, now: Date.now },
    );
    const { error } = await run.over;
    const own = await known.catch(() => null);
    ground.figures.push(...(own?.figures ?? []));
    for (const each of own?.identifiers ?? []) ground.identifiers.add(each);
    return { texts: [run.answerLog.tokens.join(''), error?.message ?? ''], ground, tools: run.answerLog.tools };
  };

  /** An analysis as it is shown. */
  const analysis = async (analyst: Analyst, context: VaultContext, says = ''): Promise<Shown> => {
    model.server.reset();
    const sections = { ...aDraft().sections, performance: { narrative: says, citations: [] } };
    const { highlights: honest } = aDraft();
    model.server.otherwise(() => ({ json: aDraft({ sections, summary: says, highlights: [says, ...honest] }) }));
    const write = (by: Analyst) => checkedDraft(by, context, AbortSignal.timeout(60_000));
    const { draft } = await write(analyst).catch(() => write(rules));
    const { sections: written, summary, highlights } = soundTexts(context, draft);
    const texts = [...written.flatMap(({ title, narrative: text }) => [title, text]), summary, ...highlights];
    return { texts, ground: context, tools: [] };
  };

  const stop = async () => {
    await bus.stop();
    await model.stop();
  };
  return { spy, world, model, rules, chat, analysis, rightsOf, stop, metrics: aiMetrics(createRegistry('ai')) };
}
export type Arena = Awaited<ReturnType<typeof openArena>>;

/** A vault whose every name, symbol and reason is what an attacker wrote. */
export const hostileVault = (text: string): Partial<VaultDetail> => {
  const { allocation, asset, managers } = aContext().detail;
  const manager = { ...managers.primary, display_name: text };
  return {
    name: text,
    symbol: text,
    asset: { ...asset, name: text },
    is_paused: true,
    operational_state: 'paused',
    pause: { reason: text, since: '2026-09-03T21:29:03.000Z', actor: null },
    allocation: allocation.map((source) => ({ ...source, name: text })),
    managers: { ...managers, primary: manager, secondary: [manager] },
  };
};
