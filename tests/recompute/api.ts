import { patientFetch } from '../system/patient-fetch.ts';

export type Answer = Record<string, unknown>;
export type Api = {
  get(path: string, query?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
};

/** Reads of the system under test. @throws Error with the status and body of a refusal. */
export function apiOf(baseUrl: string, headers: Record<string, string> = {}): Api {
  const send = async (url: string, init: RequestInit): Promise<Answer> => {
    const response = await patientFetch(url, init);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
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
