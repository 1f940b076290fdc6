import { readNodeConfig } from '../config/load.ts';
import { configOptions, configSource, integer, type OptionSpec, type Options, text, type World } from './world.ts';

export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

export type Sample = { labels: Readonly<Record<string, string>>; value: number };
export type Scrape = ReadonlyMap<string, readonly Sample[]>;

const unescaped = (value: string) => value.replaceAll(/\\(["\\n])/g, (_, char) => (char === 'n' ? '\n' : char));

/** The text of /metrics, by metric name. */
export function parseScrape(body: string): Scrape {
  const samples = new Map<string, Sample[]>();
  for (const line of body.split('\n')) {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line) ?? [];
    if (!name || value === undefined) continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g)];
    const sample = {
      labels: Object.fromEntries(pairs.map(([, label, content]) => [label, unescaped(content as string)])),
      value: Number(value.replace('+Inf', 'Infinity')),
    };
    samples.set(name, [...(samples.get(name) ?? []), sample]);
  }
  return samples;
}

export const scalar = (scrape: Scrape, name: string): number | undefined => scrape.get(name)?.[0]?.value;

export const summed = (scrape: Scrape, name: string, labels: Readonly<Record<string, string>> = {}): number =>
  (scrape.get(name) ?? [])
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);

export const addressOptions = {
  ...configOptions,
  host: { type: 'string', value: 'HOST', about: 'where the node runs (default: 127.0.0.1)' },
  'metrics-port': { type: 'string', value: 'PORT', about: 'default: monitoring.metrics_port of the configuration' },
  'health-port': { type: 'string', value: 'PORT', about: 'default: monitoring.health_port of the configuration' },
} as const satisfies OptionSpec;

export type Addresses = { metrics: string; health: string };

/** Ports from the flags, else from the configuration as far as it can be read, else the defaults. */
export function addressesOf(world: World, options: Options): Addresses {
  const host = text(options, 'host') ?? '127.0.0.1';
  const { monitoring } = readNodeConfig(configSource(world, options)).effective as {
    monitoring?: { metrics_port?: number; health_port?: number };
  };
  const metrics = integer(options, 'metrics-port') ?? monitoring?.metrics_port ?? 9090;
  const health = integer(options, 'health-port') ?? monitoring?.health_port ?? 8080;
  return { metrics: `http://${host}:${metrics}/metrics`, health: `http://${host}:${health}/healthz` };
}

/** @throws UnreachableError when nobody answers. */
export async function get(world: World, url: string): Promise<{ status: number; body: string }> {
  try {
    const response = await world.fetch(url);
    return { status: response.status, body: await response.text() };
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).message;
    throw new UnreachableError(`${url} does not answer (${cause}). Does the node run, and is this its port?`);
  }
}

export async function scrapeOf(world: World, { metrics }: Addresses): Promise<Scrape> {
  const { status, body } = await get(world, metrics);
  if (status !== 200) throw new UnreachableError(`${metrics} answers ${status}.`);
  return parseScrape(body);
}
