/**
 * Processor time of every GET of the API and of the page `/`, over all processes: `node bench/reads.ts [requests] [vault,chains]`. Processor
 * time and not wall time, because it can be read on a machine that does other things too. What the processes on a read's way take by
 * themselves is measured before each and taken off. Baselines in the same run: bare Fastify handlers that verify the same token and make one NATS request, or call one
 * moleculer action, answered from memory. Of what the demo has none, such as an alert, the read is named and not measured.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Route } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { startOwnNats, until } from '@castellan/testkit';
import { mnemonicToAccount } from 'viem/accounts';
import { forget, pidsOf, startSystem } from '../tests/system/running-system.ts';
import { devnetMnemonic } from '../tools/start/demo-wallets.ts';
import { recordFigure } from './figures.ts';
import { cpuMsOf } from './processes.ts';
import { readUrls } from './read-urls.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const requests = Number(process.argv[2] ?? 1000);
const only = process.argv[3]?.split(',');
const connections = 16;
const idleMs = 3000;
const barePort = 21_700;
type Asked = Pick<Route, 'id' | 'sharing'> & { token: string | undefined };
/** Milliseconds: what others have just asked, lists of many rows, and everything else, which is six moleculer calls at most. */
const goalOf = ({ id, sharing, token }: Asked, moleculerMs: number): number => {
  if (sharing && (sharing.with !== 'public' || token === undefined)) return 0.2;
  return id === 'auditLogs' || id === 'listAlerts' ? 2 : Math.min(1, 6 * moleculerMs);
};

/** Not on the way of any read; what they do by themselves is more than a cheap read costs. */
const bystander = /^(devnet|keeper|validator-\d+)$/;
/** What a process runs for the first few thousand times is slower than what it runs after it. */
const warmUpRequests = 3000;

type Spent = ReadonlyMap<string, number>;
const spentIn = (pids: Readonly<Record<string, number>>): Spent =>
  new Map(Object.entries(pids).map(([name, pid]) => [name, cpuMsOf(pid)]));
const since = (before: Spent, after: Spent): Spent =>
  new Map([...after].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)]));
const sum = (spent: Spent): number => [...spent.values()].reduce((total, ms) => total + ms, 0);

type Load = { url: string; token?: string | undefined };

async function ask({ url, token }: Load): Promise<number> {
  const answer = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status;
}

async function askTimes(load: Load, times: number): Promise<void> {
  let left = times;
  const asker = async () => {
    while (left > 0) {
      left -= 1;
      await ask(load);
    }
  };
  await Promise.all(Array.from({ length: connections }, asker));
}

/** Milliseconds a request, of all processes and of each, without what they took just before by themselves. */
async function measure(load: Load, pids: Readonly<Record<string, number>>): Promise<{ ms: number; each: Spent }> {
  await askTimes(load, connections);
  const restingAt = performance.now();
  const resting = spentIn(pids);
  await wait(idleMs);
  const before = spentIn(pids);
  const startedAt = performance.now();
  const idleShare = 1 / (startedAt - restingAt);
  await askTimes(load, requests);
  const tookMs = performance.now() - startedAt;
  const idle = since(resting, before);
  const each = new Map(
    [...since(before, spentIn(pids))].map(([name, spent]) => [
      name,
      (spent - (idle.get(name) ?? 0) * idleShare * tookMs) / requests,
    ]),
  );
  return { ms: sum(each), each };
}

async function tokenOf(baseUrl: string): Promise<string> {
  const wallet = mnemonicToAccount(devnetMnemonic, { addressIndex: 1 });
  const client = createClient({ baseUrl });
  const { typed_data } = await client.createNonce({ body: { address: wallet.address, chain_id: 31337 } });
  const signature = await wallet.signTypedData(typed_data as Parameters<typeof wallet.signTypedData>[0]);
  return (await client.createToken({ body: { method: 'eip712', typed_data, signature } })).access_token;
}

const system = await startSystem({
  portOffset: 14_000,
  // Rate limits would be what is measured.
  env: { RATE_API_PER_SECOND: '1000000', RATE_API_BURST: '1000000' },
});
const bareNats = await startOwnNats();
const children: ReturnType<typeof spawn>[] = [];
try {
  // Read for each measurement: a process that ended is started again under another.
  const pidsNow = () =>
    Object.fromEntries(Object.entries(pidsOf(system.stateDir)).filter(([name]) => !bystander.test(name)));
  const token = await tokenOf(system.baseUrl);
  const [vault] = await createClient({ baseUrl: system.baseUrl }).publicVaults({});
  if (!vault) throw new Error('The devnet has no vault.');
  const detail = await (await fetch(`${system.baseUrl}/api/v1/vaults/31337/${vault.vault_address}`)).text();
  const env = {
    ...process.env,
    BENCH_NATS_URL: bareNats.url,
    BENCH_PORT: String(barePort),
    BENCH_ISSUER: system.baseUrl,
    BENCH_DETAIL: detail,
  };
  for (const file of ['bare-responder.ts', 'bare-handler.ts'])
    children.push(
      spawn(process.execPath, [join(root, 'bench', file)], { env, stdio: ['ignore', 'ignore', 'inherit'] }),
    );
  const bare = { url: `http://127.0.0.1:${barePort}/`, token };
  await until('the baseline answers', () =>
    ask(bare).then(
      (status) => status === 200,
      () => false,
    ),
  );
  const barePids = Object.fromEntries(children.map(({ pid }, n) => [`bare-${n}`, Number(pid)]));
  for (const url of [bare.url, `${bare.url}moleculer`, `${system.baseUrl}/`])
    await askTimes({ ...bare, url }, warmUpRequests);
  const { ms: raw } = await measure(bare, barePids);
  const { ms: baseline } = await measure({ ...bare, url: `${bare.url}moleculer` }, barePids);
  const print = (name: string, ms: number, of: string) => {
    const ratios = [ms / baseline, ms / raw].map((ratio) => ratio.toFixed(1).padStart(6)).join('');
    process.stdout.write(`${name.padEnd(26)}${ms.toFixed(2).padStart(7)} ms${ratios}  ${of}\n`);
  };
  process.stdout.write(`${requests} requests, ${connections} at once; of moleculer, of raw NATS\n`);
  print('moleculer', baseline, '');
  print('raw NATS', raw, '');
  const tokenFor = ({ auth }: Route) => (auth === 'public' ? undefined : token);
  const urls = await readUrls(vault, async (route, path) => {
    const headers = { authorization: `Bearer ${tokenFor(route) ?? ''}` };
    const answer = await fetch(system.baseUrl + path, tokenFor(route) === undefined ? {} : { headers });
    return answer.ok ? answer.json() : undefined;
  });
  const home = { id: 'page /', auth: 'public', sharing: { with: 'everybody', from: 'vaults' } } as unknown as Route;
  const asked = [{ route: home, url: '/' }, ...urls].flatMap(({ route, url }) => {
    const byToken = { route, url, name: route.id, token: tokenFor(route) };
    // What the public is answered is kept, what a wallet is answered is not.
    const isBoth = route.sharing?.with === 'public';
    return isBoth ? [byToken, { route, url, name: `${route.id}, no token`, token: undefined }] : [byToken];
  });
  for (const { route, url, name, token } of asked) {
    if (only && !only.includes(route.id)) continue;
    const load = { url: `${system.baseUrl}${url}`, token };
    const status = url === undefined ? 'there is none' : await ask(load);
    if (status !== 200) {
      process.stdout.write(`${name.padEnd(26)} not measured: ${status}\n`);
      continue;
    }
    const { ms, each } = await measure(load, pidsNow());
    const most = [...each].sort(([, a], [, b]) => b - a).slice(0, 3);
    recordFigure({ name, unit: 'ms', value: ms, baseline, goal: goalOf({ ...route, token }, baseline) });
    print(name, ms, most.map(([process, total]) => `${process} ${total.toFixed(2)}`).join(', '));
  }
} finally {
  for (const child of children) child.kill('SIGTERM');
  await system.stop();
  await bareNats.stop();
  forget(system);
}
