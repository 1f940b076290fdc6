import { guardedFetch } from '../client/guarded-fetch.ts';
import type { Session } from '../client/session.ts';

/** The refusal in the server's words. */
async function refusalOf(response: Response): Promise<Error> {
  const status = { status: response.status, detail: `The server answered ${response.status}.` };
  const isProblem = response.headers.get('content-type')?.includes('json') ?? false;
  const problem: object = isProblem ? ((await response.json()) as object) : {};
  return Object.assign(new Error(`The file was refused with ${response.status}`), status, problem);
}

/** A file that may take a role: the session's token goes along where there is one. */
export async function readFile(session: Session, url: string): Promise<Blob> {
  const state = session.get();
  const headers = state.status === 'signed_in' ? { authorization: `Bearer ${state.token}` } : {};
  const get = guardedFetch(session, (...input) => window.fetch(...input));
  const response = await get(url, { headers });
  if (!response.ok) throw await refusalOf(response);
  return new Blob([await response.text()], {
    type: response.headers.get('content-type') ?? 'application/octet-stream',
  });
}
