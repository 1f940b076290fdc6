/** Why the keeper did not send: a code of its own list (docs/keeper.md) and a sentence that says what was missing. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
