import { createServer, type IncomingMessage } from 'node:http';

/** A finished span as a service exported it. */
export type CollectedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  service: string;
  name: string;
  scope: string;
};

type OtlpBody = {
  resourceSpans?: {
    resource?: { attributes?: { key: string; value: { stringValue?: string } }[] };
    scopeSpans?: {
      scope?: { name?: string };
      spans?: { traceId: string; spanId: string; parentSpanId?: string; name: string }[];
    }[];
  }[];
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

function spansIn(body: OtlpBody): CollectedSpan[] {
  return (body.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) => {
    const service = resource?.attributes?.find(({ key }) => key === 'service.name')?.value.stringValue ?? 'unknown';
    return scopeSpans.flatMap(({ scope, spans = [] }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name }) => ({
        traceId,
        spanId,
        parentSpanId,
        service,
        name,
        scope: scope?.name ?? '',
      })),
    );
  });
}

/** Takes what services export over OTLP/HTTP, and answers `GET /<trace id>` with that trace's spans. */
export async function startSpanCollector(): Promise<{ url: string; stop(): void }> {
  const byTrace = new Map<string, CollectedSpan[]>();
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      for (const span of spansIn(JSON.parse(await bodyOf(request)) as OtlpBody)) {
        byTrace.set(span.traceId, [...(byTrace.get(span.traceId) ?? []), span]);
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(byTrace.get((request.url ?? '/').slice(1)) ?? []));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}
