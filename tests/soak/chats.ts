import { baseUrl, until } from '../system/actors.ts';
import { type ChatClient, openChat } from '../system/chat-client.ts';
import type { Verdict } from './checks.ts';
import type { Vault } from './readers.ts';
import { signIn } from './sign-in.ts';

const connectedMs = 300_000;
const eventMs = 20_000;
/** It comes before the end of its answer; the answer of an instance that died has none. */
const errorMs = 1;
type Ids = { conversation_id: string; message_id: string };

/** Somebody who asks the analyst, comes back when the connection breaks, and reads each answer to its end. */
export class Chats {
  readonly #vault: Vault;
  readonly #faults: string[] = [];
  readonly #ends = new Map<string, number>();
  #resumed = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  async run(stop: AbortSignal): Promise<void> {
    const { token } = await signIn(2);
    while (!stop.aborted) {
      const chat = await this.#connect(token);
      try {
        const ids = await started(chat, { ...this.#vault, message: 'Compare the last week with the week before.' });
        if (ids) await this.#readToItsEnd(chat, ids, token);
      } finally {
        chat.close();
      }
    }
  }

  verdict(): Verdict {
    const found = [...this.#ends].map(([how, count]) => `${count} ${how}`).join(', ');
    return {
      what: 'each answer of the chat comes without a gap and has an end',
      found: `${found}; resumed ${this.#resumed} times`,
      faults: [...this.#faults, ...(this.#ends.size === 0 ? ['nothing was answered'] : [])],
    };
  }

  #connect(token: string): Promise<ChatClient> {
    return until('a connection of the chat', () => openChat(baseUrl(), token).catch(() => undefined), connectedMs);
  }

  async #readToItsEnd(first: ChatClient, ids: Ids, token: string): Promise<void> {
    let chat = first;
    const tokens = new Map<number, string>();
    let repeats = 0;
    const take = () => {
      for (const { seq, text } of chat.tokensOf(ids.message_id)) {
        if (tokens.has(seq)) repeats += 1;
        tokens.set(seq, text);
      }
    };
    for (;;) {
      const done = await chat.next('chat:done', ids, eventMs).catch(() => undefined);
      take();
      if (chat !== first) chat.close();
      if (done) {
        const error = done.status === 'failed' && (await chat.next('chat:error', ids, errorMs).catch(() => undefined));
        this.#count(error ? `failed with ${error.code}` : String(done.status));
        break;
      }
      this.#resumed += 1;
      chat = await this.#connect(token);
      chat.send('chat:resume', { ...ids, after_seq: Math.max(-1, ...tokens.keys()) });
    }
    const seqs = [...tokens.keys()].sort((left, right) => left - right);
    if (seqs.some((seq, place) => seq !== place)) this.#faults.push(`${ids.message_id} has a gap: ${seqs.join(' ')}`);
    if (repeats > 0) this.#faults.push(`${ids.message_id} repeated ${repeats} parts`);
  }

  #count(how: string): void {
    this.#ends.set(how, (this.#ends.get(how) ?? 0) + 1);
  }
}

/** Asks. @returns undefined when the question was not taken. */
async function started(chat: ChatClient, message: object): Promise<Ids | undefined> {
  chat.send('chat:send', message);
  const found = await chat.next('chat:started', undefined, eventMs).catch(() => undefined);
  return found && { conversation_id: String(found.conversation_id), message_id: String(found.message_id) };
}
