import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type Action,
  GetDrawdown,
  GetOperations,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetRisk,
  GetUsers,
  GetVault,
  ListChains,
  ListFees,
  ListLogEntries,
  ListTransmissions,
} from '@castellan/contracts';
import { createBroker, createLogger, createRegistry, type Identity, implement } from '@castellan/service-kit';
import { anAddress, freePort, startTestNats, testIdentity, testKeysEnv } from '@castellan/testkit';
import { aVault, chainId, someAnswers } from '../services/ai/test/fixtures.ts';
import { renewEnvelope } from '../services/gateway/src/envelopes.ts';
import { end, run, startStore } from './analytics-system.ts';

export const issuer = 'http://127.0.0.1:8080';
export const vaults = Array.from({ length: 25 }, (_, index) => anAddress(0xa001 + index));
export { chainId };

/** What the chat asks others for, answered from memory: vaults of which everybody is a manager, as analytics knew one of them. */
function standIns(identity: Identity) {
  const answers = someAnswers();
  const detail = { ...aVault(), my_role: 'primary_manager' as const };
  const is = <A extends Action>(action: A, answer: object) => implement(action, () => answer as never);
  const chain = { chain_id: chainId, slug: 'devnet', name: 'Devnet', explorer_url: null, native_symbol: 'ETH' };
  return [
    {
      name: 'vaults',
      version: 1,
      actions: {
        detail: implement(GetVault, ({ vault_address }) => ({ ...detail, vault_address })),
        chains: is(ListChains, { chains: [{ ...chain, head_block: 1, indexed_block: 1, lag_seconds: 0 }] }),
        transmissions: is(ListTransmissions, answers.transmissions),
        events: is(ListLogEntries, { entries: [], head_seq: 0, indexed_block: 1, indexed_time: null }),
      },
    },
    {
      name: 'analytics',
      version: 1,
      actions: {
        overview: is(GetOverview, answers.overview),
        performance: is(GetPerformance, answers.performance),
        risk: is(GetRisk, answers.risk),
        riskDrawdown: is(GetDrawdown, answers.drawdown),
        users: is(GetUsers, answers.users),
        operations: is(GetOperations, answers.operations),
        fees: is(ListFees, answers.fees),
        pps: is(GetPps, answers.pps),
        ppsWhatIf: is(GetPpsWhatIf, answers.whatIf),
      },
    },
    {
      name: 'gateway',
      version: 1,
      actions: { renewEnvelope: renewEnvelope(identity, { revocations: { has: () => false }, now: Date.now }) },
    },
  ];
}

/** A process of ours that sends its parent its port. */
export const startChild = (name: string, env: Record<string, string>): ChildProcess =>
  fork(fileURLToPath(new URL(name, import.meta.url)), [], { env: { ...process.env, ...env } });

const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => child.once('message', ({ port }: { port: number }) => resolve(port)));

export type AiSystem = {
  modelPort: number;
  chatPort: number;
  /** The metrics of the service. */
  usage(): Promise<{ cpuSeconds: number; residentBytes: number; lagP99Ms: number }>;
  stop(): Promise<void>;
};

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(100);
  }
  throw new Error(`${url} does not get ready.`);
}

/** The ai service as it is deployed, in its own process, with its bus, its store and its model in processes of their own. */
export async function startAi(tokens: number, perSecond: number): Promise<AiSystem> {
  const [nats, store, chatPort, monitoring] = await Promise.all([
    startTestNats(),
    startStore(),
    freePort(),
    freePort(),
  ]);
  const identity = testIdentity();
  const broker = createBroker({
    service: 'bench',
    nats: { url: nats.url, namespace: 'castellan' },
    registry: createRegistry('bench'),
    log: createLogger({ service: 'bench', level: 'silent' }),
    identity,
  });
  for (const schema of standIns(identity)) broker.createService(schema);
  await broker.start();
  const model = startChild('ai-model.ts', { BENCH_TOKENS: String(tokens), BENCH_PER_SECOND: String(perSecond) });
  const modelPort = await portOf(model);
  const ai = run('services/ai/src/main.ts', {
    NATS_URL: nats.url,
    MONGODB_URI: store.uri,
    MONGODB_DATABASE: `castellan_bench_${process.pid}`,
    AI_MODEL: 'openai:bench',
    // All of it is one vault: none of the chats goes to the built-in analyst.
    AI_DAILY_TOKENS: '1000000000000',
    AI_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
    PUBLIC_URL: issuer,
    AI_HTTP_PORT: String(chatPort),
    MONITORING_PORT: String(monitoring),
    ...testKeysEnv('ai'),
  });
  const monitored = `http://127.0.0.1:${monitoring}`;
  await untilReady(`${monitored}/readyz`);
  return {
    modelPort,
    chatPort,
    usage: async () => {
      const text = await (await fetch(`${monitored}/metrics`)).text();
      const value = (name: string) => Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
      return {
        cpuSeconds: value('process_cpu_seconds_total'),
        residentBytes: value('process_resident_memory_bytes'),
        lagP99Ms: value('nodejs_eventloop_lag_p99_seconds') * 1_000,
      };
    },
    stop: async () => {
      await end(ai);
      await end(model);
      await Promise.all([broker.stop(), store.stop()]);
      await nats.stop();
    },
  };
}
