/** The command line was not understood. */
export class UsageError extends Error {
  /** How the command is used; undefined for all of them. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string) {
    super(message);
    this.usage = usage;
  }
}
