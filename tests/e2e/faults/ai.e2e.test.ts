import type { PublicVault } from '@castellan/contracts';
import { afterEach, expect, test } from '@jest/globals';
import { baseUrl, signIn, stateDir, until } from '../../system/actors.ts';
import { type ChatClient, openChat } from '../../system/chat-client.ts';
import { scenarioMs } from '../../system/patience.ts';
import { pidsOf } from '../../system/running-system.ts';

/** The ai service killed while it answers. */

const chats: ChatClient[] = [];

afterEach(() => {
  for (const chat of chats.splice(0)) chat.close();
});

test(
  'behavior: killed with -9 in the middle of an answer, the ai comes back and the answer has an end',
  async () => {
    const { client, token } = await signIn(1);
    const open = async () => {
      const chat = await openChat(baseUrl(), token);
      chats.push(chat);
      return chat;
    };
    const core = (await client.publicVaults({})).find(({ name }) => name === 'USDC Core') as PublicVault;
    const { chain_id, vault_address } = core;
    const asked = (message: string, more: object = {}) => ({ chain_id, vault_address, message, ...more });
    const chat = await open();
    const pid = pidsOf(stateDir()).ai as number;
    const ids = await chat.ask(asked('Compare the last week with the week before.'), () =>
      process.kill(pid, 'SIGKILL'),
    );
    await chat.next('disconnect');
    await until('the ai started again', async () => (pidsOf(stateDir()).ai ?? pid) !== pid);
    const again = await until('a connection', () => open().catch(() => undefined));
    again.send('chat:resume', { ...ids, after_seq: chat.tokensOf(ids.message_id).at(-1)?.seq ?? -1 });
    // It was not finished: that is said, and what was stored of it comes without a gap.
    const done = await again.next('chat:done', ids);
    expect(done.status).toBe('failed');
    const all = [...chat.tokensOf(ids.message_id), ...again.tokensOf(ids.message_id)];
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, place) => place));
    const next = await again.ask(asked('Is the price on time?', { conversation_id: ids.conversation_id }));
    expect(await again.next('chat:done', next)).toMatchObject({ status: 'complete' });
  },
  scenarioMs,
);
