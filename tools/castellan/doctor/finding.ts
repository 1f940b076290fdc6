/** What was looked at. */
export type Check = 'configuration' | 'secrets' | 'keys' | 'bus' | 'store' | 'chain' | 'clock';

/** What was found of one thing. A fault keeps something from working, or lets somebody in; a warning may be meant so. */
export type Finding = {
  check: Check;
  subject: string;
  state: 'ok' | 'warning' | 'fault';
  found: string;
  /** What to do about it; null where nothing is to be done. */
  remedy: string | null;
};

type Report = (subject: string, found: string, remedy: string) => Finding;

/** Makes the findings of one check. */
export const findingsOf = (check: Check) => ({
  ok: (subject: string, found: string): Finding => ({ check, subject, state: 'ok', found, remedy: null }),
  warning: ((subject, found, remedy) => ({ check, subject, state: 'warning', found, remedy })) satisfies Report,
  fault: ((subject, found, remedy) => ({ check, subject, state: 'fault', found, remedy })) satisfies Report,
});

/** The message of an error on one line. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
