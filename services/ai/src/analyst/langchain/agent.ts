import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { Tool } from '../../tools/tool.ts';
import type { ModelCall } from './tool-calls.ts';

/** What a model said in one turn, and the calls that it wants. */
export type Turn = { text: string; calls: readonly (ModelCall & { id: string })[] };

type Options = {
  model: BaseChatModel;
  tools: readonly Tool[];
  messages: BaseMessage[];
  signal: AbortSignal;
  mostTurns: number;
  /** One request to the model; null when the answer ends without it. */
  ask(messages: BaseMessage[]): Promise<Turn | null>;
  /** Runs a call, known or made up. @returns what the model reads of it. */
  run(call: ModelCall): Promise<string>;
};

/** Arguments are checked where a call runs, so that one that is refused is reported like any other. */
const AnyArguments = z.looseObject({});
const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The loop of model and tools, by LangChain's agent. Each request to the model is `ask`: it streams, retries, counts and checks as
 * the agent does not. Calls run one after another, in the order in which the model wrote them.
 * @throws What `ask` or `run` threw, and the signal's reason.
 */
export async function runAgent(options: Options): Promise<void> {
  const { model, messages, signal, mostTurns, ask, run } = options;
  const { AIMessage, ToolMessage, createAgent, createMiddleware, tool } = await import('langchain');
  const written = new Map<string, ModelCall>();
  let turns = 0;
  let failure: { error: unknown } | undefined;
  let before: Promise<unknown> = Promise.resolve();

  /** The agent wraps what its middleware throws; the caller decides by the error itself. */
  const kept = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      signal.throwIfAborted();
      return await work();
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  };

  /** The agent finds results by the id of their call; not every server gives one, or another one each time. */
  const noted = ({ id, name, args }: Turn['calls'][number]) => {
    const own = id === '' || written.has(id) ? `call_${written.size}_${turns}` : id;
    written.set(own, { name, args });
    return { id: own, name, args: (isRecord(args) ? args : {}) as Record<string, unknown> };
  };

  const agent = createAgent({
    model,
    tools: options.tools.map(({ name, description }) =>
      tool((args) => run({ name, args }), { name, description, schema: AnyArguments }),
    ),
    middleware: [
      createMiddleware({
        name: 'castellan',
        wrapModelCall: (request) =>
          kept(async () => {
            const said = turns < mostTurns ? await ask(request.messages) : null;
            turns += 1;
            return new AIMessage({ content: said?.text ?? '', tool_calls: said?.calls.map(noted) ?? [] });
          }),
        wrapToolCall: (request, handler) => {
          const { id = '', name } = request.toolCall;
          const call = written.get(id) ?? { name, args: null };
          const result = before.then(() =>
            kept(async () =>
              request.tool !== undefined && isRecord(call.args)
                ? handler(request)
                : new ToolMessage({ content: await run(call), tool_call_id: id, name }),
            ),
          );
          before = result.catch(() => undefined);
          return result;
        },
      }),
    ],
  });
  try {
    // A turn is two steps: the model and its tools.
    const work = agent.invoke({ messages }, { signal, recursionLimit: 2 * mostTurns + 4 });
    await untilStopped(work, signal);
  } catch (error) {
    throw failure === undefined ? error : failure.error;
  }
}

/** Neither a tool nor the agent can be called back, but nobody waits for them once the answer is stopped. */
export function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
