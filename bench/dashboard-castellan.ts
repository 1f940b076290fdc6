/** What the gateway asks in `dashboards.ts`, answered from memory over its own bus: the services behind it are not what is measured. */
import { GetJwks, GetOverview, GetVault, ListMyVaults, ReadTogether } from '@castellan/contracts';
import { createBroker, createLogger, createRegistry, implement } from '@castellan/service-kit';
import { testIdentity } from '@castellan/testkit';
import { MadeAnswers } from '../services/vaults/src/vault/domain/made-answers.ts';
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
/** As `vaults` does: what is read is looked up for each, and made where it has not been made before. */
const made = new MadeAnswers(16_777_216);
const together = implement(ReadTogether, ({ reads }) => ({
  answers: reads.map((read) => {
    const { etag, text } =
      read.read === 'detail'
        ? made.get(`${read.params.vault_address} ${views.readAt(read.params.vault_address)}`, () =>
            GetVault.result.parse(views.detail(read.params.vault_address)),
          )
        : made.get(views.readsOf(read.wallet_address).join(), () =>
            ListMyVaults.result.parse(views.list(read.wallet_address)),
          );
    const block_number = read.read === 'detail' ? views.readAt(read.params.vault_address) : null;
    return { etag, body: read.known.includes(etag) ? null : text, block_number };
  }),
}));
broker.createService({
  name: 'vaults',
  version: 1,
  actions: {
    readTogether: together,
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
