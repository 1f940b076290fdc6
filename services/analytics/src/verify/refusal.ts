/** What keeps a check from being made: said to the person at the terminal, without a stack. */
export class Refusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Refusal';
  }
}
