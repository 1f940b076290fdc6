import type { VaultDetail } from '@castellan/contracts';
import { Gauge, type Registry } from '@castellan/service-kit';
import { formatUnits } from 'viem/utils';

type Reading = Pick<
  VaultDetail,
  | 'chain_id'
  | 'vault_address'
  | 'name'
  | 'asset'
  | 'total_assets'
  | 'tvl_usd'
  | 'apy'
  | 'current_pps'
  | 'pps_precision'
  | 'last_pps_update_timestamp'
>;

/** A figure of a vault; null where it has none, which is then not shown. Samples are floats: for graphs, not for books. */
type Figure = { name: string; help: string; of: (vault: Reading) => number | null };

const figures: readonly Figure[] = [
  {
    name: 'castellan_vault_assets',
    help: "What the vault holds, in units of its asset's token",
    of: ({ total_assets, asset }) => Number(formatUnits(BigInt(total_assets), asset.decimals)),
  },
  {
    name: 'castellan_vault_value_usd',
    help: 'What the vault holds in US dollars; not there without a price of its asset',
    of: ({ tvl_usd }) => tvl_usd,
  },
  {
    name: 'castellan_vault_apy',
    help: 'Net APY of the last seven days, as a fraction; not there without enough history',
    of: ({ apy }) => apy,
  },
  {
    name: 'castellan_vault_price_per_share',
    help: 'Price of a share in units of the asset',
    of: ({ current_pps, pps_precision }) => Number(current_pps) / Number(pps_precision),
  },
  {
    name: 'castellan_vault_price_timestamp_seconds',
    help: 'Unix time of the price: time() less this is its age',
    of: ({ last_pps_update_timestamp }) => Date.parse(last_pps_update_timestamp) / 1000,
  },
];

const vaultLabels = ['chain_id', 'vault'] as const;
const labelsOf = ({ chain_id, vault_address }: Reading) => ({ chain_id: String(chain_id), vault: vault_address });

/**
 * Figures of every vault, for who graphs them in Prometheus. They are read when they are asked for, so that each instance shows the
 * same and a vault that is gone is gone; while they cannot be read there are none.
 * @param list - All vaults as they are known now.
 */
export function figureMetrics(registers: Registry[], list: () => Promise<readonly Reading[]>): void {
  let reading: Promise<readonly Reading[]> | undefined;
  // Gauges of one scrape are collected at the same time and share what is read.
  const current = () => {
    reading ??= list()
      .catch(() => [])
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  for (const { name, help, of } of figures)
    new Gauge({
      name,
      help,
      labelNames: vaultLabels,
      registers,
      async collect() {
        const vaults = await current();
        this.reset();
        for (const vault of vaults) {
          const value = of(vault);
          if (value !== null) this.set(labelsOf(vault), value);
        }
      },
    });
  new Gauge({
    name: 'castellan_vault_info',
    help: '1; its labels say what the vault is called and what it holds, in the words of who made it',
    labelNames: [...vaultLabels, 'name', 'asset'],
    registers,
    async collect() {
      const vaults = await current();
      this.reset();
      for (const vault of vaults) this.set({ ...labelsOf(vault), name: vault.name, asset: vault.asset.symbol }, 1);
    },
  });
}
