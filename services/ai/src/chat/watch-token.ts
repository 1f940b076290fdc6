import type { Revocations, VerifiedToken } from '@castellan/tokens';

type Reason = { code: 'TOKEN_EXPIRED' | 'TOKEN_REVOKED'; detail: string };

const expired: Reason = {
  code: 'TOKEN_EXPIRED',
  detail: 'Your token has expired. Sign in again; the conversation is kept.',
};
const revoked: Reason = { code: 'TOKEN_REVOKED', detail: 'This session has ended. Sign in again.' };

/** setTimeout takes no more; a longer time is waited for in parts. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Calls back once when a token that was good stops being so: at its expiry, or when its session is ended.
 * @returns stops watching.
 */
export function watchToken(
  { caller, expiresAtMs, isEmbedded }: VerifiedToken,
  { revocations, now }: { revocations: Pick<Revocations, 'has' | 'onRevoked'>; now: () => number },
  onEnd: (reason: Reason) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    forget();
  };
  const end = (reason: Reason) => {
    stop();
    onEnd(reason);
  };
  const wait = () => {
    const left = expiresAtMs - now();
    timer = setTimeout(
      () => (now() >= expiresAtMs ? end(expired) : wait()),
      Math.min(Math.max(0, left), longestTimerMs),
    );
  };
  const forget = revocations.onRevoked((sid) => {
    if (isEmbedded && sid === caller.sid) end(revoked);
  });
  wait();
  // It may have been ended while the connection was made.
  if (isEmbedded && revocations.has(caller.sid)) end(revoked);
  return stop;
}
