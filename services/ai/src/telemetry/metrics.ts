import { Counter, Gauge, Histogram, type Registry } from '@castellan/service-kit';

/** From rules, which take milliseconds, to a slow model. */
const runBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80];

/** Metrics of the service; names end in their unit. */
export const aiMetrics = (registry: Registry) => ({
  runs: new Counter({
    name: 'ai_runs_total',
    help: 'Texts written by an analyst, by how they ended',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  }),
  runSeconds: new Histogram({
    name: 'ai_run_duration_seconds',
    help: 'Time an analyst takes to write a text',
    labelNames: ['provider'],
    buckets: runBuckets,
    registers: [registry],
  }),
  tokens: new Counter({
    name: 'ai_tokens_total',
    help: 'Tokens that went to a model and came from it',
    labelNames: ['direction'],
    registers: [registry],
  }),
  mcpCalls: new Counter({
    name: 'ai_mcp_calls_total',
    help: 'Tools called by agents over MCP, by how they ended',
    labelNames: ['tool', 'outcome'],
    registers: [registry],
  }),
  ungrounded: new Counter({
    name: 'ai_ungrounded_figures_total',
    help: 'Figures of a text that could not be traced to the context',
    registers: [registry],
  }),
  chatConnections: new Gauge({
    name: 'ai_chat_connections',
    help: 'Clients connected to the chat',
    registers: [registry],
  }),
  chatAnswers: new Counter({
    name: 'ai_chat_answers_total',
    help: 'Answers of the chat, by how they ended',
    labelNames: ['outcome'],
    registers: [registry],
  }),
  chatFirstToken: new Histogram({
    name: 'ai_chat_first_token_seconds',
    help: 'Time from a question to the first token of its answer',
    buckets: runBuckets,
    registers: [registry],
  }),
  chatTokens: new Counter({
    name: 'ai_chat_tokens_total',
    help: 'Tokens sent to the chat, as they were shown',
    registers: [registry],
  }),
});

export type AiMetrics = ReturnType<typeof aiMetrics>;
