import type { HealthReport } from './http.ts';

export type HealthOptions = {
  /** Milliseconds since the main loop last ran. */
  tickAge: () => number;
  tickMs: number;
  /** Resolves when the document store answers. */
  pingDatabase: () => Promise<unknown>;
  /** Local milliseconds. */
  now: () => number;
  onDatabase?: (up: boolean) => void;
};

const cachedMs = 5000;
const pingWithinMs = 2000;
const failuresToFlip = 3;
const missedTicks = 3;

export type NodeHealth = {
  report(): Promise<HealthReport>;
  /** From now on failing: the node shuts down. */
  close(): void;
};

/**
 * Whether the process ticks and its store answers. The store is asked at most every five seconds, and three silences in a row
 * are needed before the answer turns: one lost packet must not restart a validator.
 */
export function createHealth(options: HealthOptions): NodeHealth {
  let closed = false;
  let isUp = false;
  let failures = failuresToFlip; // Until the store has answered once it counts as away.
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  const ask = async () => {
    const ok = await answersInTime(options.pingDatabase);
    askedAt = options.now();
    failures = ok ? 0 : failures + 1;
    isUp = failures < failuresToFlip;
    options.onDatabase?.(isUp);
  };
  const database = async () => {
    if (options.now() - askedAt >= cachedMs)
      asking ??= ask().finally(() => {
        asking = undefined;
      });
    await asking;
    return isUp;
  };
  return {
    async report() {
      const checks: HealthReport['checks'] = {
        process: options.tickAge() <= missedTicks * options.tickMs ? 'ok' : 'failing',
        database: (await database()) ? 'ok' : 'failing',
        ...(closed ? { running: 'failing' as const } : {}),
      };
      return { status: Object.values(checks).includes('failing') ? 'failing' : 'ok', checks };
    },
    close: () => {
      closed = true;
    },
  };
}

async function answersInTime(ping: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, pingWithinMs, false);
  });
  const asked = Promise.resolve()
    .then(ping)
    .then(
      (answer) => answer !== false,
      () => false,
    );
  const ok = await Promise.race([asked, late]);
  clearTimeout(timer);
  return ok;
}
