import { createServer, type IncomingMessage } from 'node:http';

/** A finished span as a service exported it. */
export type CollectedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  service: string;
  name: string;
  scope: string;
  attributes: Readonly<Record<string, string | number>>;
  /** Ids of the traces that it is linked to. */
  links: string[];
};

type OtlpAttribute = { key: string; value: { stringValue?: string; intValue?: number | string } };
type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes?: OtlpAttribute[];
  links?: { traceId: string }[];
};
type OtlpBody = {
  resourceSpans?: {
    resource?: { attributes?: OtlpAttribute[] };
    scopeSpans?: { scope?: { name?: string }; spans?: OtlpSpan[] }[];
  }[];
};

const attributesIn = (attributes: readonly OtlpAttribute[] = []): CollectedSpan['attributes'] =>
  Object.fromEntries(
    attributes.flatMap(({ key, value: { stringValue, intValue } }) => {
      const value = intValue === undefined ? stringValue : Number(intValue);
      return value === undefined ? [] : [[key, value]];
    }),
  );

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

function spansIn(body: OtlpBody): CollectedSpan[] {
  return (body.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) => {
    const service = resource?.attributes?.find(({ key }) => key === 'service.name')?.value.stringValue ?? 'unknown';
    return scopeSpans.flatMap(({ scope, spans = [] }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, attributes, links = [] }) => ({
        attributes: attributesIn(attributes),
        links: links.map((link) => link.traceId),
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

/**
 * Takes what services export over OTLP/HTTP, and answers `GET /<trace id>` with that trace's spans and those that are linked to it, and
 * `GET /named/<name>` with our own spans of a name.
 */
export async function startSpanCollector(): Promise<{ url: string; stop(): void }> {
  const collected = new Map<string, CollectedSpan[]>();
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      for (const span of spansIn(JSON.parse(await bodyOf(request)) as OtlpBody)) {
        const names = span.scope === 'castellan' ? [`named/${encodeURIComponent(span.name)}`] : [];
        for (const key of new Set([span.traceId, ...span.links, ...names])) {
          const known = collected.get(key) ?? [];
          collected.set(key, known);
          known.push(span);
        }
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(collected.get((request.url ?? '/').slice(1)) ?? []));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}
