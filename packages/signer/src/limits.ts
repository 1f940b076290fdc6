/** How long is waited for a key service. A signature may be asked for again: a second one does no harm. */
export type Limits = {
  /** For one attempt, in milliseconds. */
  attemptMs: number;
  /** The first one and those after it, when the service is throttled, fails or does not answer. */
  attempts: number;
};

/** Three attempts of 2 s: a signature that takes longer is too late for the round it is for. */
export const limits: Limits = { attemptMs: 2_000, attempts: 3 };
