import { AppError } from '@castellan/contracts';
import { type Logger, toAppError } from '@castellan/service-kit';
import type { Analyst } from '../analyst/analyst.ts';
import type { AiMetrics } from '../telemetry/metrics.ts';
import type { Tool } from '../tools/tool.ts';
import { AnswerRun, type Asked, type Outcome } from './answer-run.ts';
import type { ChatStore } from './ports.ts';
import { TokenLog } from './token-log.ts';

const watchMs = 1_000;
/** Every so many looks at the store a heartbeat. */
const looksPerBeat = 3;
const looksPerSweep = 10;
/** Tokens that an instance may have sent and not stored when it dies; every answer under way is one document each time. */
const flushMs = 250;
const finishTries = 5;
const finishRetryMs = 1_000;

export type AnswersPorts = {
  store: ChatStore;
  tools: readonly Tool[];
  timeoutMs: number;
  metrics: AiMetrics;
  log: Logger;
  now: () => number;
  wait: (ms: number) => Promise<unknown>;
};

/**
 * The answers that this instance is making. Keeps the store behind them: tokens, a heartbeat by which others know that the
 * instance lives, and the end. Ends those that another instance was asked to stop, or whose conversation was deleted.
 */
export class Answers {
  readonly #ports: AnswersPorts;
  readonly #running = new Map<string, AnswerRun>();
  readonly #finishing = new Set<Promise<void>>();
  readonly #tokens: TokenLog;
  readonly #watch: NodeJS.Timeout;
  #looks = 0;
  #isLooking = false;

  constructor(ports: AnswersPorts) {
    this.#ports = ports;
    this.#tokens = new TokenLog({ store: ports.store, everyMs: flushMs, log: ports.log });
    this.#watch = setInterval(() => void this.#look(), watchMs);
  }

  get(messageId: string): AnswerRun | undefined {
    return this.#running.get(messageId);
  }

  /** @param askedAt - When the question came. */
  start(asked: Asked, analyst: Analyst, askedAt: number): AnswerRun {
    const { messageId } = asked.ids;
    const { tools, timeoutMs, metrics, log, now } = this.#ports;
    const onToken = (seq: number, text: string) => {
      if (seq === 0) metrics.chatFirstToken.observe((now() - askedAt) / 1000);
      metrics.chatTokens.inc();
      this.#tokens.add(messageId, seq, text);
    };
    const run = new AnswerRun(asked, { analyst, tools, timeoutMs, onToken, log, now });
    this.#running.set(messageId, run);
    const finishing = run.over
      .then((outcome) => this.#finish(run, outcome))
      .finally(() => {
        this.#running.delete(messageId);
        this.#finishing.delete(finishing);
      });
    this.#finishing.add(finishing);
    return run;
  }

  /** Stops the answers of a session that was ended. */
  stopOf(sid: string): void {
    for (const run of this.#running.values()) {
      const { session } = run.asked;
      if (session.isEmbedded && session.sid === sid) run.stop();
    }
  }

  /** Stops the answers about a vault whose callers may not read it any more: `check` throws for them. */
  async stopWithoutRole(vault: string, check: (asked: Asked) => Promise<unknown>): Promise<void> {
    const concerned = [...this.#running.values()].filter(({ asked }) => asked.vault === vault);
    await Promise.all(concerned.map((run) => check(run.asked).catch((error: unknown) => run.stop(toAppError(error)))));
  }

  /** Ends everything, and resolves once it is stored. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    const why = new AppError('SERVICE_UNAVAILABLE', 'The answer was cut short by a restart. Ask again.');
    for (const run of this.#running.values()) run.stop(why);
    await Promise.all(this.#finishing);
    this.#tokens.close();
  }

  async #finish(run: AnswerRun, { error, ...outcome }: Outcome): Promise<void> {
    const { answerLog, asked } = run;
    const { metrics, log } = this.#ports;
    const { messageId } = asked.ids;
    await this.#tokens.forget(messageId);
    await this.#settle(run, outcome.usage);
    let isOurs = true;
    try {
      isOurs = await this.#stored(messageId, { ...outcome, tokens: answerLog.tokens, tools: answerLog.tools });
    } catch (failure) {
      log.error('could not store the end of an answer', { error: failure as Error });
    }
    // Another instance marked this answer as failed.
    const status = isOurs ? outcome.status : outcome.status === 'stopped' ? 'stopped' : 'failed';
    metrics.chatAnswers.inc({ outcome: status });
    metrics.tokens.inc({ direction: 'input' }, outcome.usage.input_tokens);
    metrics.tokens.inc({ direction: 'output' }, outcome.usage.output_tokens);
    metrics.ungrounded.inc(outcome.ungrounded_figures.length);
    answerLog.end({ ...outcome, status, tokens: answerLog.next }, error);
  }

  /** Whatever becomes of the answer, its tokens were used. Those that cannot be given back stay set aside. */
  async #settle({ asked }: AnswerRun, { input_tokens, output_tokens }: Outcome['usage']): Promise<void> {
    try {
      await asked.reserved?.settle(input_tokens + output_tokens);
    } catch (error) {
      this.#ports.log.error('could not give back the tokens of an answer', { error: error as Error });
    }
  }

  async #stored(messageId: string, ended: Parameters<ChatStore['finish']>[1]): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#ports.store.finish(messageId, ended);
      } catch (error) {
        if (tries === finishTries) throw error;
        await this.#ports.wait(finishRetryMs);
      }
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { store, log } = this.#ports;
    const ids = [...this.#running.keys()];
    this.#looks += 1;
    try {
      if (ids.length > 0 && this.#looks % looksPerBeat === 0) await store.beat(ids);
      if (ids.length > 0) {
        const wanted = await store.stillWanted(ids);
        for (const id of ids) if (!wanted.has(id)) this.#running.get(id)?.stop();
      }
      if (this.#looks % looksPerSweep === 0) await store.failAbandoned();
    } catch (error) {
      log.warn('could not refresh running answers', { error: toAppError(error) });
    } finally {
      this.#isLooking = false;
    }
  }
}
