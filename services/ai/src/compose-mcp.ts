import { AppError, envelopeHeader, longestEnvelope } from '@castellan/contracts';
import type { ServiceContext } from '@castellan/service-kit';
import type { Budgets } from './budgets/budgets.ts';
import type { AiConfig } from './config.ts';
import type { Callers } from './http/callers.ts';
import type { HttpHandler } from './http/http-port.ts';
import { mcpHandler } from './mcp/http-handler.ts';
import type { AiMetrics } from './telemetry/metrics.ts';

/** Below the time after which the server gives a request up. */
const toolMs = 25_000;
const atOnce = 8;

type Shared = { callers: Pick<Callers, 'admit'>; budgets: Budgets; metrics: AiMetrics };

/** The path of the endpoint, and what answers there. */
export const composeMcp = (
  { http }: Pick<AiConfig, 'http'>,
  { callAction, log }: Pick<ServiceContext, 'callAction' | 'log'>,
  { callers, budgets, metrics }: Shared,
): Readonly<Record<string, HttpHandler>> => ({
  '/mcp': mcpHandler({
    callAction,
    log,
    metrics,
    toolMs,
    atOnce,
    origins: http.origins,
    admit: async ({ [envelopeHeader]: envelope }) => {
      if (typeof envelope !== 'string' || envelope.length > longestEnvelope)
        throw new AppError('TOKEN_MISSING', 'Send the request to /mcp at the gateway.');
      return (await callers.admit(envelope)).caller;
    },
    secondsUntilRequest: (wallet) => budgets.secondsUntilAgentRequest(wallet),
  }),
});
