import { AppError } from '@castellan/contracts';
import { type Logger, toAppError } from '@castellan/service-kit';
import type { Analyst, AnswerEvent, Answered, Turn } from '../analyst/analyst.ts';
import type { Reservation } from '../budgets/budgets.ts';
import type { Rights } from '../context/rights.ts';
import type { VaultContext } from '../context/vault-context.ts';
import type { Tool } from '../tools/tool.ts';
import { AnswerLog } from './answer-log.ts';
import { finalCheck } from './final-check.ts';
import { type Ground, SentenceChecker } from './sentence-checker.ts';

/** Characters of an answer; a model that goes on beyond is stopped. */
const longestAnswer = 16_000;
/** Characters of one token, so that what waits for a slow client is bounded. */
const longestToken = 1_000;

export type Asked = {
  ids: { conversationId: string; messageId: string };
  rights: Rights;
  /** The session may be ended before its token expires. */
  session: { sid: string; isEmbedded: boolean; expiresAtMs: number };
  vault: string;
  /** Of the vault's tokens, for a model; absent where the rules answer. */
  reserved: Reservation | undefined;
  text: string;
  history: readonly Turn[];
  context: Promise<VaultContext>;
};

type Ports = {
  analyst: Analyst;
  tools: readonly Tool[];
  timeoutMs: number;
  onToken: (seq: number, text: string) => void;
  log: Logger;
  now: () => number;
};

export type Outcome = {
  status: 'complete' | 'stopped' | 'failed';
  citations: ReturnType<typeof finalCheck>['citations'];
  ungrounded_figures: ReturnType<typeof finalCheck>['ungrounded_figures'];
  usage: { input_tokens: number; output_tokens: number };
  error: AppError | undefined;
};

/**
 * One answer while it is made: what the analyst writes goes through the sentence checker into the answer log. Ends once, by itself,
 * when it is stopped, when it takes too long, or with the token of its caller.
 */
export class AnswerRun {
  readonly asked: Asked;
  readonly answerLog: AnswerLog;
  /** Resolves when nothing is added any more. */
  readonly over: Promise<Outcome>;
  readonly #ports: Ports;
  readonly #stopping = new AbortController();
  readonly #checker: SentenceChecker;
  #ground: Ground = { figures: [], identifiers: new Set() };
  #length = 0;
  #pieces = 0;
  #isOver = false;

  constructor(asked: Asked, ports: Ports) {
    this.asked = asked;
    this.answerLog = new AnswerLog(asked.ids);
    this.#ports = ports;
    this.#checker = new SentenceChecker(() => this.#ground);
    this.over = this.#run();
  }

  /** @param why - Absent: it was asked to stop; else it failed. */
  stop(why?: AppError): void {
    this.#stopping.abort(why);
  }

  async #run(): Promise<Outcome> {
    const { timeoutMs, now } = this.#ports;
    const timeout = AbortSignal.timeout(timeoutMs);
    const expiry = setTimeout(() => this.stop(), Math.min(this.asked.session.expiresAtMs - now(), 2 ** 31 - 1));
    const signal = AbortSignal.any([this.#stopping.signal, timeout]);
    try {
      // An analyst that does not heed the signal is not waited for.
      const answered = await Promise.race([this.#answer(signal), aborted(signal)]);
      if (answered === undefined) return this.#cutShort();
      this.#show(this.#checker.end());
      return this.#outcome('complete', undefined, answered);
    } catch (error) {
      if (signal.aborted) return this.#cutShort();
      const ours = toAppError(error);
      if (ours.code === 'INTERNAL') this.#ports.log.error('answer failed', { error: error as Error });
      return this.#outcome('failed', ours);
    } finally {
      clearTimeout(expiry);
      this.#isOver = true;
      // Whatever ended it, the analyst stops.
      this.stop();
    }
  }

  #cutShort(): Outcome {
    const { aborted: isStopped, reason } = this.#stopping.signal;
    if (isStopped) return reason instanceof AppError ? this.#outcome('failed', reason) : this.#outcome('stopped');
    return this.#outcome('failed', new AppError('MODEL_UNAVAILABLE', 'The answer took too long. Ask again.'));
  }

  async #answer(signal: AbortSignal): Promise<Answered> {
    const { rights, text, history } = this.asked;
    const context = await this.asked.context;
    this.#ground = { figures: context.figures, identifiers: context.identifiers };
    const tools = this.#ports.tools.map((tool) => this.#watched(tool));
    const onEvent = (event: AnswerEvent) => this.#take(event);
    signal.throwIfAborted();
    return this.#ports.analyst.answer({ context, history, text }, { tools, rights, signal, onEvent });
  }

  /** A tool whose figures may be quoted from when it brought them, not from when the answer is complete. */
  #watched(tool: Tool): Tool {
    return {
      ...tool,
      run: async (args, rights) => {
        const result = await tool.run(args, rights);
        this.#ground = {
          figures: [...this.#ground.figures, ...result.figures],
          identifiers: new Set([...this.#ground.identifiers, ...result.identifiers]),
        };
        return result;
      },
    };
  }

  #take(event: AnswerEvent): void {
    if (this.#isOver || this.#stopping.signal.aborted) return;
    if (event.type === 'text') {
      this.#pieces += 1;
      this.#show(this.#checker.push(event.text));
    } else this.answerLog.addTools({ ...event.call, at: this.answerLog.next });
  }

  #show(text: string): void {
    for (let from = 0; from < text.length; from += longestToken) {
      const token = text.slice(from, from + longestToken);
      this.#ports.onToken(this.answerLog.next, token);
      this.answerLog.add(token);
    }
    this.#length += text.length;
    if (this.#length > longestAnswer) this.stop();
  }

  #outcome(status: Outcome['status'], error?: AppError, answered?: Answered): Outcome {
    const { citations, ungrounded_figures } = finalCheck(
      this.answerLog.tokens.join(''),
      answered?.citations ?? [],
      this.#ground,
    );
    // A model that was cut short reports no usage; one token is counted for each piece it sent.
    const pieces = this.#ports.analyst.provider === 'built-in' ? 0 : this.#pieces;
    const { inputTokens, outputTokens } = answered?.usage ?? { inputTokens: 0, outputTokens: pieces };
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
    return { status, citations, ungrounded_figures, usage, error };
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
