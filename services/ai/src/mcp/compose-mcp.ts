import type { ServiceContext } from '@castellan/service-kit';
import type { Callers } from '../callers.ts';
import type { AiConfig } from '../config.ts';
import type { HttpHandler } from '../http.ts';
import type { AiMetrics } from '../telemetry.ts';
import type { Budgets } from '../use-cases/ports.ts';
import { mcpHandler } from './http-handler.ts';

/** Below the time after which the server gives a request up. */
const toolMs = 25_000;
const atOnce = 8;

type Shared = { callers: Pick<Callers, 'verifier'>; budgets: Budgets; metrics: AiMetrics };

/** The path of the endpoint, and what answers there. */
export const composeMcp = (
  { http }: Pick<AiConfig, 'http'>,
  { callAction, log }: Pick<ServiceContext, 'callAction' | 'log'>,
  { callers, budgets, metrics }: Shared,
): Readonly<Record<string, HttpHandler>> => ({
  '/mcp': mcpHandler({
    ...{ callAction, log, metrics, toolMs, atOnce },
    ...{ verifier: callers.verifier, origins: http.origins },
    secondsUntilRequest: (wallet) => budgets.secondsUntilAgentRequest(wallet),
  }),
});
