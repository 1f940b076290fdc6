const barWidth = 30;

/** What the person who waits sees: steps, and one bar while the chain's history is made. */
export class Progress {
  readonly #out: NodeJS.WriteStream;
  #barShown = false;
  #lastPercent = -1;
  #lastProblem = '';

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  step(text: string): void {
    this.end();
    this.#out.write(`${text} ...\n`);
  }

  note(text: string): void {
    this.end();
    this.#out.write(`${text}\n`);
  }

  /**
   * Reads the devnet's output: `progress <done> <total> <label>` moves the bar, `problem <what to do>` is shown once however
   * often the devnet is started again, anything else stays in its log.
   */
  fromDevnet(line: string): void {
    const [, problem] = /^problem (.*)$/.exec(line) ?? [];
    if (problem !== undefined && problem !== this.#lastProblem) {
      this.#lastProblem = problem;
      this.note(problem);
    }
    const match = /^progress (\d+) (\d+) (.*)$/.exec(line);
    if (!match) return;
    const [, done, total, label] = match;
    this.#bar(Number(done) / Math.max(1, Number(total)), label ?? '');
  }

  end(): void {
    if (this.#barShown) this.#out.write('\n');
    this.#barShown = false;
  }

  #bar(fraction: number, label: string): void {
    const percent = Math.floor(Math.min(1, fraction) * 100);
    if (!this.#out.isTTY) {
      if (percent === this.#lastPercent || percent % 20 !== 0) return;
      this.#lastPercent = percent;
      this.#out.write(`${label} ${percent} %\n`);
      return;
    }
    const filled = Math.round((percent / 100) * barWidth);
    this.#out.write(`\r\x1b[2K${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${percent} % ${label}`);
    this.#barShown = true;
  }
}
