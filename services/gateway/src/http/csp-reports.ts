import { AppError } from '@castellan/contracts';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { z } from 'zod';
import type { GatewayMetrics } from '../telemetry.ts';

/** Where browsers report what the content policy kept a page from doing. */
export const cspReportPath = '/csp-reports';

const mostBytes = 16_384;
const mostReports = 20;

/** Directives of our policy; what a report says otherwise is counted as one kind, so that nobody makes labels. */
const directives: ReadonlySet<string> = new Set([
  ...[
    'default-src',
    'script-src',
    'script-src-elem',
    'script-src-attr',
    'style-src',
    'style-src-elem',
    'style-src-attr',
  ],
  ...['img-src', 'font-src', 'connect-src', 'object-src', 'base-uri', 'form-action'],
  ...['frame-src', 'frame-ancestors'],
  ...['require-trusted-types-for', 'trusted-types'],
]);

/** `report-uri` sends one report, the Reporting API a list of its own form. */
const Legacy = z.object({
  'csp-report': z.object({ 'effective-directive': z.string().optional(), 'violated-directive': z.string().optional() }),
});
const Listed = z.array(z.object({ type: z.string(), body: z.object({ effectiveDirective: z.string().optional() }) }));

function directivesIn(body: unknown): string[] {
  const listed = Listed.safeParse(body);
  if (listed.success)
    return listed.data.flatMap(({ type, body: { effectiveDirective } }) =>
      type === 'csp-violation' ? [effectiveDirective ?? ''] : [],
    );
  const legacy = Legacy.safeParse(body);
  if (!legacy.success) throw new AppError('VALIDATION_FAILED', 'This is not a report of a content policy.');
  const report = legacy.data['csp-report'];
  // Older browsers name the directive with all its sources behind it.
  return [report['effective-directive'] ?? report['violated-directive']?.split(' ')[0] ?? ''];
}

/** Counts violations by directive. Nothing else of a report is kept: its addresses are those of a person's visit. */
export async function registerCspReports(
  app: FastifyInstance,
  { metrics, limit }: { metrics: Pick<GatewayMetrics, 'cspViolations'>; limit: onRequestHookHandler },
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      ['application/csp-report', 'application/reports+json', 'application/json'],
      { parseAs: 'string', bodyLimit: mostBytes },
      scope.getDefaultJsonParser('error', 'error'),
    );
    scope.post(cspReportPath, { onRequest: [limit] }, (request, reply) => {
      for (const named of directivesIn(request.body).slice(0, mostReports))
        metrics.cspViolations.inc({ directive: directives.has(named) ? named : 'other' });
      return reply.code(204).send();
    });
  });
}
