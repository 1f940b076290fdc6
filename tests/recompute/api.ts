/** Tries again while a part of the system is away or the budget of requests is spent. */
const ATTEMPTS = 60;
const PAUSE_MS = 500;
const passing = new Set([429, 503]);

export type Answer = Record<string, unknown>;
export type Api = {
  get(path: string, query?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
};

/** Reads of the system under test. @throws Error with the status and body of a refusal. */
export function apiOf(baseUrl: string, headers: Record<string, string> = {}): Api {
  const send = async (url: string, init: RequestInit): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(url, init);
      if (response.ok) return (await response.json()) as Answer;
      if (!passing.has(response.status) || attempt === ATTEMPTS)
        throw new Error(`${url}: ${response.status} ${await response.text()}`);
      // biome-ignore lint/plugin: the system answers 503 and 429 without saying when it will be ready
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  return {
    get: (path, query = {}) => send(`${baseUrl}/api/v1/${path}?${new URLSearchParams(query)}`, { headers }),
    post: (path, body) =>
      send(`${baseUrl}/api/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  };
}
