/** What the gateway asks in `dashboards.ts`, answered from memory over its own bus: the services behind it are not what is measured. */
import { GetJwks, GetOverview, GetVault, ListMyVaults } from '@castellan/contracts';
import { createBroker, createLogger, createRegistry, implement } from '@castellan/service-kit';
import { testIdentity } from '@castellan/testkit';
import { paceNow, sayReady } from './dashboard-pace.ts';
import { createViews } from './dashboard-views.ts';

const { BENCH_NATS_URL, BENCH_JWK } = process.env;
const views = createViews(paceNow);
const broker = createBroker({
  service: 'bench',
  nats: { url: String(BENCH_NATS_URL), namespace: 'castellan' },
  registry: createRegistry('bench'),
  log: createLogger({ service: 'bench', level: 'warn' }),
  identity: testIdentity(),
});
const jwks = { keys: [JSON.parse(String(BENCH_JWK))] };
broker.createService({ name: 'auth', version: 1, actions: { jwks: implement(GetJwks, () => jwks) } });
broker.createService({
  name: 'vaults',
  version: 1,
  actions: {
    list: implement(ListMyVaults, (_params, { caller }) => views.list(caller?.wallet_address ?? '')),
    detail: implement(GetVault, ({ vault_address }) => views.detail(vault_address)),
  },
});
broker.createService({
  name: 'analytics',
  version: 1,
  actions: { overview: implement(GetOverview, ({ vault_address }) => views.overview(vault_address)) },
});
await broker.start();
sayReady();
