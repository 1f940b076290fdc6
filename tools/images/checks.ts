import { createServer } from 'node:http';

/** The names of spans that processes sent, by the service that sent them. */
export type Traces = { spans: ReadonlyMap<string, ReadonlySet<string>>; close(): Promise<void> };

type Exported = {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { scope: { name: string } }[];
  }[];
};

/** Takes traces as a collector does (OTLP over HTTP, JSON) and remembers which libraries were traced in which service. */
export async function collectTraces(port: number): Promise<Traces> {
  const spans = new Map<string, Set<string>>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    for (const { resource, scopeSpans } of (JSON.parse(body) as Exported).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      const scopes = spans.get(service) ?? new Set();
      for (const { scope } of scopeSpans) scopes.add(scope.name);
      spans.set(service, scopes);
    }
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { spans, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

const textOf = async (url: string): Promise<string> => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 200)}`);
  return response.text();
};

/** Asks the gateway for the page and its script, and for what services answer. @throws Error naming what is wrong. */
export async function askGateway(url: string): Promise<void> {
  const page = await textOf(`${url}/`);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  if (script === undefined) throw new Error('The page has no script.');
  await textOf(`${url}${script}`);
  await textOf(`${url}/api/v1/openapi.json`);
  const jwks = JSON.parse(await textOf(`${url}/.well-known/jwks.json`)) as { keys: unknown[] };
  if (jwks.keys.length === 0) throw new Error('The identity provider has no key.');
  const vaults = JSON.parse(await textOf(`${url}/api/v1/public/vaults`)) as unknown[];
  if (vaults.length === 0) throw new Error('The API lists no vault of the local chain.');
}

/** Whether the metrics of a process name the version that was built. */
export async function checkBuild(metricsUrl: string, version: string): Promise<void> {
  const line = /^castellan_build_info\{.*$/m.exec(await textOf(metricsUrl))?.[0];
  if (!line?.includes(`version="${version}"`))
    throw new Error(`${metricsUrl} does not name version ${version}: ${line}`);
}
