import { signIn, until } from '../system/actors.ts';
import { openChat } from '../system/chat-client.ts';
import { keeperMs } from '../system/patience.ts';
import { strategyScene } from '../system/strategy-scene.ts';

/** Does with a vault of a fresh `npm start` what people do with one, so that every subject has stored something. */
export async function fill(base: string): Promise<void> {
  const { client, token } = await signIn(1);
  const [vault] = await client.publicVaults({});
  if (!vault) throw new Error('There is no vault.');
  const { chain_id, vault_address } = vault;
  const params = { chain_id: `${chain_id}`, vault_address };
  const ref = { chain_id, vault_address };
  await client.createChannel({ body: { provider: 'websocket', name: 'Desk' } });
  await client.setAlertRule({ params: { rule_id: 'vault_paused' }, body: { ...ref, version: 0, enabled: false } });
  await client.createPost({ params, body: { title: 'Note', body: 'Text' } });
  await client.preparePause({ body: { ...ref, reason: 'A rehearsal' } });
  await client.analysis({ params: { vault_address }, query: { chain_id: params.chain_id } });

  const scene = await strategyScene(vault);
  await scene.allowAllSources();
  const { allocation } = await client.vault({ params });
  const source = allocation.find(({ kind }) => kind === 'source');
  const id = await scene.deposits('Deposit idle assets', `${source?.name}`);
  const { version } = await client.getStrategy({ params: { id } });
  await client.setStrategyState({ params: { id }, body: { version, target_state: 'RUNNING' } });
  await until(
    'the strategy was carried out',
    async () => {
      const { intents } = await client.listIntents({ query: { vault_id: scene.vault_id } });
      return intents.some(({ state }) => state === 'COMPLETED');
    },
    keeperMs,
  );

  const chat = await openChat(base, token);
  try {
    const ids = await chat.ask({ ...ref, message: 'How did the last week go?' });
    await chat.next('chat:done', ids);
  } finally {
    chat.close();
  }
}
