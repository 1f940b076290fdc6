import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Lets real time pass, which is what a soak is made of: the pace of its people, the time between faults, how long a fault lasts.
 * @param ms - Milliseconds. Ends early, without an error, when `signal` is aborted.
 */
export async function passTime(ms: number, signal?: AbortSignal): Promise<void> {
  // biome-ignore lint/plugin: nothing is waited for
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}
