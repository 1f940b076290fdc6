import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { routes } from '@castellan/contracts';
import { createWalletClient, type Hex, http } from 'viem';
import { foundry } from 'viem/chains';
import { devWallet } from '../../packages/protocol/src/dev-wallets.ts';
import { readAsManager, readFigures, readPublic } from './reads.ts';
import { type Example, Recorder } from './recorder.ts';
import { attempts, type Scene, signIn } from './scene.ts';
import { access, broadcast, mandates, notifications, posts, prepare, scenarios, strategies, trees } from './writes.ts';

/**
 * Records a request and its answer for each operation from a running local system, for the description of the API:
 * `node tools/record-examples/main.ts --url http://127.0.0.1:8080 --rpc http://127.0.0.1:8545`. It writes to the system: give it a
 * new one (`npm start -- --fresh`). An operation that was refused keeps the example it has.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const target = join(root, 'services/gateway/src/openapi/generated/examples.json');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      rpc: { type: 'string', default: 'http://127.0.0.1:8545' },
    },
  });
  const recorder = new Recorder(values.url);
  const anonymous = recorder.client();
  const found = (await anonymous.publicVaults({})).find(({ name }) => name === 'USDC Core');
  if (found === undefined) throw new Error('The system has no vault USDC Core.');
  const vault = { chain_id: String(found.chain_id), vault_address: found.vault_address };
  const wallet = devWallet(1);
  const manager = await signIn(recorder, wallet);
  const refused: string[] = [];
  const scene: Scene = { anonymous, manager, wallet, vault, attempt: attempts(refused) };
  const sender = createWalletClient({ account: wallet, chain: foundry, transport: http(values.rpc) });
  const other = devWallet(60).address;
  const parts = [
    () => readPublic(scene),
    () => readFigures(scene),
    () => trees(scene),
    () => strategies(scene),
    () => readAsManager(scene),
    () => access(scene, other),
    () => prepare(scene, other),
    () => broadcast(scene, ({ to, data }) => sender.sendTransaction({ to: to as Hex, data: data as Hex })),
    () => posts(scene),
    () => mandates(scene),
    () => scenarios(scene),
    () => notifications(scene),
    () => manager.logout({}),
  ];
  for (const part of parts) await scene.attempt(part);
  const kept = existsSync(target) ? (JSON.parse(readFileSync(target, 'utf8')) as Record<string, Example>) : {};
  const all = Object.entries({ ...kept, ...Object.fromEntries(recorder.examples) })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, example]) => `${JSON.stringify(id)}: ${JSON.stringify(example)}`);
  writeFileSync(target, `{\n${all.join(',\n')}\n}\n`);
  for (const each of refused) console.log(each);
  const missing = Object.values(routes).filter(({ id }) => !recorder.examples.has(id));
  console.log(`${recorder.examples.size} examples recorded; none of ${missing.map(({ id }) => id).join(', ')}`);
}

await main();
