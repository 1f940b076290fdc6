/**
 * Requests per second and p99 of a vault's detail, signed in: `node bench/gateway.ts [seconds]`.
 * Baseline in the same run: a bare Fastify handler that verifies the same token and makes one raw NATS request, whose
 * responder answers the same bytes from memory. Measured against it: the gateway with its snapshot cache, and without.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@castellan/sdk';
import { startOwnNats } from '@castellan/testkit';
import autocannon from 'autocannon';
import { mnemonicToAccount } from 'viem/accounts';
import { forget, startSystem } from '../tests/system/running-system.ts';
import { serviceKeysEnv } from '../tools/start/service-keys.ts';
import { recordFigure } from './figures.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const seconds = Number(process.argv[2] ?? 8);
const connections = 64;
const portOffset = 13_000;
const ports = { uncached: 21_500, uncachedMonitoring: 22_500, bare: 21_600 };
const mnemonic = 'test test test test test test test test test test test junk';

// Rate limits would be what is measured.
process.env.RATE_API_PER_SECOND = '1000000';
process.env.RATE_API_BURST = '1000000';

const start = (args: string[], env: Record<string, string>) =>
  spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const ok = await fetch(url).then(
      ({ status }) => status < 500,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not answer.`);
}

async function tokenOf(baseUrl: string): Promise<string> {
  const wallet = mnemonicToAccount(mnemonic, { addressIndex: 1 });
  const client = createClient({ baseUrl });
  const { typed_data } = await client.createNonce({ body: { address: wallet.address, chain_id: 31337 } });
  const signature = await wallet.signTypedData(typed_data as Parameters<typeof wallet.signTypedData>[0]);
  return (await client.createToken({ body: { method: 'eip712', typed_data, signature } })).access_token;
}

type Row = { name: string; perSecond: number; p50: number; p99: number };

async function measure(name: string, url: string, token: string): Promise<Row> {
  const options = { url, connections, headers: { authorization: `Bearer ${token}` } };
  await autocannon({ ...options, duration: 2 });
  const { requests, latency, non2xx, errors } = await autocannon({ ...options, duration: seconds });
  if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx} answers were no success and ${errors} requests failed.`);
  return { name, perSecond: requests.average, p50: latency.p50, p99: latency.p99 };
}

const system = await startSystem({ portOffset });
const natsUrl = readFileSync(join(system.stateDir, 'secrets/nats-url-gateway'), 'utf8');
const mongoUri = readFileSync(join(system.stateDir, 'store-users/gateway.uri'), 'utf8');
// The bare handler answers on subjects of its own, which the system's bus refuses.
const bareNats = await startOwnNats();
const children = [
  start([join(root, 'services/gateway/src/main.ts')], {
    NATS_URL: natsUrl,
    MONGODB_URI: mongoUri,
    PUBLIC_URL: system.baseUrl,
    HTTP_PORT: String(ports.uncached),
    MONITORING_PORT: String(ports.uncachedMonitoring),
    SNAPSHOT_SECONDS: '0',
    ...serviceKeysEnv(join(system.stateDir, 'service-keys'), 'gateway'),
  }),
];
try {
  const token = await tokenOf(system.baseUrl);
  const [vault] = await createClient({ baseUrl: system.baseUrl }).publicVaults({});
  if (!vault) throw new Error('The devnet has no vault.');
  const path = `/api/v1/vaults/31337/${vault.vault_address}`;
  const detail = await (await fetch(system.baseUrl + path)).text();
  const shared = {
    BENCH_NATS_URL: bareNats.url,
    BENCH_PORT: String(ports.bare),
    BENCH_ISSUER: system.baseUrl,
    BENCH_DETAIL: detail,
  };
  children.push(
    start([join(root, 'bench/bare-responder.ts')], shared),
    start([join(root, 'bench/bare-handler.ts')], shared),
  );
  await Promise.all([answers(`http://127.0.0.1:${ports.uncached}${path}`), answers(`http://127.0.0.1:${ports.bare}/`)]);
  const rows = [
    await measure('bare Fastify, one NATS request', `http://127.0.0.1:${ports.bare}/`, token),
    await measure('gateway, snapshot cache off', `http://127.0.0.1:${ports.uncached}${path}`, token),
    await measure('gateway, snapshot cache on', system.baseUrl + path, token),
  ];
  const baseline = rows[0]?.perSecond ?? 1;
  process.stdout.write(`\nvault detail, ${detail.length} bytes, ${connections} connections, ${seconds} s each\n`);
  for (const { name, perSecond, p50, p99 } of rows) {
    recordFigure({ name, unit: 'per s', value: perSecond, baseline });
    const ratio = (perSecond / baseline).toFixed(2);
    process.stdout.write(
      `${name.padEnd(32)}${perSecond.toFixed(0).padStart(7)}/s  ratio ${ratio}  p50 ${p50} ms  p99 ${p99} ms\n`,
    );
  }
} finally {
  for (const child of children) child.kill('SIGTERM');
  await system.stop();
  await bareNats.stop();
  forget(system);
}
