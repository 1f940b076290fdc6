/** A part of the system that is away, or a budget of requests that is spent: both pass. */
const passing = new Set([429, 503]);
const ATTEMPTS = 60;
const PAUSE_MS = 500;

/**
 * A request that may be sent again, such as a read: it is, as long as the system says that it cannot answer just now.
 * Every test of a file shares the budget of its address, so that a fast machine spends it where a slow one does not.
 * @returns the first other answer, or the last refusal.
 */
export async function patientFetch(url: string, init?: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, init);
    if (!passing.has(response.status) || attempt === ATTEMPTS) return response;
    await response.body?.cancel();
    const seconds = Number(response.headers.get('retry-after'));
    // biome-ignore lint/plugin: as long as the refusal asks for, or half a second where it does not say
    await new Promise((resolve) => setTimeout(resolve, seconds > 0 ? seconds * 1_000 : PAUSE_MS));
  }
}
