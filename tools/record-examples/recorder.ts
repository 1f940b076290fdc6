import { type Route, routes } from '@castellan/contracts';
import { type Client, createClient } from '@castellan/sdk';

/** A request that the system answered, and its answer, shortened. */
export type Example = {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly status: number;
  readonly answer: unknown;
};

const mostItems = 2;
/** Where `npm start` serves, whatever port this system has. */
const usualHost = '127.0.0.1:8080';
/** What opens something: a token, or a text under this name. */
const token = /^eyJ[\w-]+\./;
const isSecret = (text: string, field: string): boolean => field === 'secret' || token.test(text);

/** Lists of a few items, and nothing that opens anything. */
function shortened(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return value.slice(0, mostItems).map((item) => shortened(item));
  if (typeof value === 'string') return isSecret(value, field) ? '…' : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner, name)]));
}

const patterns = (Object.values(routes) as unknown as Route[]).map(({ id, method, path }) => ({
  id,
  method,
  fits: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  fixed: path.replaceAll(/\{\w+\}/g, '').length,
}));

/** The operation of a request; of several the one with more of its path written out. */
const operationOf = (method: string, path: string): string | undefined =>
  patterns
    .filter((pattern) => pattern.method === method && pattern.fits.test(path))
    .sort((a, b) => b.fixed - a.fixed)[0]?.id;

/** Clients whose first success of each operation is kept. */
export class Recorder {
  readonly examples = new Map<string, Example>();
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  client(token?: string): Client {
    const record: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.ok) await this.#keep(new URL(String(input)), init, response.clone());
      return response;
    };
    return createClient({
      baseUrl: this.#baseUrl,
      fetch: record,
      retries: 3,
      ...(token === undefined ? {} : { token }),
    });
  }

  async #keep({ pathname, search }: URL, init: RequestInit | undefined, response: Response): Promise<void> {
    const { method = 'GET', body } = init ?? {};
    const id = operationOf(method, pathname);
    if (id === undefined || this.examples.has(id)) return;
    const { host } = new URL(this.#baseUrl);
    const read = (text: string): unknown => shortened(JSON.parse(text.replaceAll(host, usualHost)));
    this.examples.set(id, {
      request: {
        method,
        path: pathname + search,
        ...(typeof body === 'string' ? { body: read(body) } : {}),
      },
      status: response.status,
      answer: response.status === 204 ? null : read(await response.text()),
    });
  }
}
