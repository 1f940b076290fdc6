/** Why the keeper did not send: a code of its own list (docs/keeper.md) and a sentence that says what was missing. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a person wanted, or what passes by itself before anybody could do something. */
const expected: ReadonlySet<string> = new Set([
  'KILL_SWITCH',
  'STRATEGY_CHANGED',
  'EMERGENCY_LOCK_ACTIVE',
  'SNAPSHOT_STALE',
  'NONCE_TAKEN',
  'GAS_TOO_DEAR',
]);

/** Whether a refusal is a failure that people should hear of. */
export const isFailure = ({ code }: Refusal): boolean => !expected.has(code);
