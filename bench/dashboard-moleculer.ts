/** The dashboards of `dashboards.ts` by moleculer-web: `gateway`, or the service behind it. */
import { createLocalJWKSet } from 'jose';
import { type Context, Errors, ServiceBroker } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { paceNow, sayReady } from './dashboard-pace.ts';
import { createViews } from './dashboard-views.ts';
import { tokenCheck } from './token-check.ts';

const { BENCH_NATS_URL, BENCH_JWK, BENCH_ISSUER, BENCH_PORT } = process.env;
const [part = 'service'] = process.argv.slice(2);
const transporter = { type: 'NATS', options: { url: String(BENCH_NATS_URL) } } as const;
const broker = new ServiceBroker({ nodeID: part, transporter, logger: false });

type ByWallet = Context<{ vault_address: string }, { wallet: string }>;

function createGateway(): void {
  const check = tokenCheck(createLocalJWKSet({ keys: [JSON.parse(String(BENCH_JWK))] }), String(BENCH_ISSUER));
  const aliases = {
    'GET vaults': 'dashboard.list',
    'GET vaults/:chain_id/:vault_address': 'dashboard.detail',
    'GET vaults/:chain_id/:vault_address/analytics/overview': 'dashboard.overview',
  };
  broker.createService({
    name: 'web',
    mixins: [ApiGateway],
    settings: {
      ip: '127.0.0.1',
      port: Number(BENCH_PORT),
      etag: 'strong',
      routes: [{ path: '/api/v1', authentication: true, mappingPolicy: 'restrict', aliases, bodyParsers: false }],
    },
    methods: {
      async authenticate(ctx: ByWallet, _route: unknown, { headers }: { headers: Record<string, string> }) {
        const payload = await check(headers.authorization).catch(() => {
          throw new Errors.MoleculerClientError('The token is not good.', 401);
        });
        ctx.meta.wallet = String(payload.wallet_address);
        return { id: payload.sub };
      },
    },
  });
}

function createService(): void {
  const views = createViews(paceNow);
  broker.createService({
    name: 'dashboard',
    actions: {
      list: ({ meta }: ByWallet) => views.list(meta.wallet),
      detail: ({ params }: ByWallet) => views.detail(params.vault_address),
      overview: ({ params }: ByWallet) => views.overview(params.vault_address),
    },
  });
}

if (part === 'gateway') createGateway();
else createService();
await broker.start();
if (part === 'gateway') await broker.waitForServices('dashboard');
sayReady();
