import { GetAnalysis } from '@castellan/contracts';
import { bindIdentity, type RunningService, startService } from '@castellan/service-kit';
import {
  anAddress,
  startTestNats,
  startTestStore,
  type TestNats,
  type TestStore,
  testIdentity,
  testKeysEnv,
  until,
} from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aiDefinition } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';

let nats: TestNats;
let store: TestStore;
let running: RunningService;
beforeAll(async () => {
  [nats, store] = await Promise.all([startTestNats(), startTestStore()]);
  const config = loadConfig({
    NATS_URL: nats.url,
    NATS_NAMESPACE: nats.namespace,
    MONGODB_URI: store.uri,
    MONGODB_DATABASE: store.database,
    MONITORING_PORT: '0',
    AI_HTTP_PORT: '0',
    LOG_LEVEL: 'silent',
    ...testKeysEnv('ai'),
  });
  running = await startService(aiDefinition(config));
});
afterAll(async () => {
  await running.stop();
  await Promise.all([nats.stop(), store.stop()]);
});

test('default: it is ready, exposes its metrics and serves the analysis', async () => {
  const at = `http://127.0.0.1:${running.monitoringPort}`;
  await until('it is ready', async () => (await fetch(`${at}/readyz`)).status === 200);
  const metrics = await (await fetch(`${at}/metrics`)).text();
  const analysis = ['ai_runs_total', 'ai_run_duration_seconds', 'ai_tokens_total', 'ai_ungrounded_figures_total'];
  const chat = ['connections', 'answers_total', 'first_token_seconds', 'tokens_total'].map((name) => `ai_chat_${name}`);
  for (const name of [...analysis, ...chat, 'ai_mcp_calls_total']) expect(metrics).toContain(`# TYPE ${name} `);
  bindIdentity(running.broker, testIdentity());
  const call = running.context.callAction(GetAnalysis, { chain_id: 1, vault_address: anAddress(1) });
  await expect(call).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
});

describe('the configuration', () => {
  test('default: no model, the built-in analyst', () => {
    expect(loadConfig({}).models.model).toBeUndefined();
  });

  test.each([
    [
      { AI_MODEL: 'openai:gpt-5', AI_API_KEY: 'k-12345678' },
      { vendor: 'openai', name: 'gpt-5' },
    ],
    [{ AI_MODEL: 'ollama:llama3:8b' }, { vendor: 'ollama', name: 'llama3:8b' }],
    [
      { AI_MODEL: 'openai:local', AI_BASE_URL: 'http://127.0.0.1:1' },
      { vendor: 'openai', name: 'local' },
    ],
  ])('default: %j names a model', (env, model) => {
    expect(loadConfig(env).models.model).toEqual(model);
  });

  test.each([
    [{ AI_MODEL: 'gpt-5' }, 'AI_MODEL'],
    [{ AI_MODEL: 'openai:gpt-5' }, 'AI_API_KEY'],
    [{ AI_MODEL: 'anthropic:x', AI_BASE_URL: 'file:///etc/passwd' }, 'AI_BASE_URL'],
  ])('error: %j is a fault of %s', (env, name) => {
    expect(() => loadConfig(env)).toThrow(name);
  });
});
