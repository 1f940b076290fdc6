import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Makes the dashboard of the validators: `node services/validator-node/src/monitoring/dashboard.ts`. A test notices when the
 * file is stale, or asks for a metric that no node has.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
export const dashboardFile = join(root, 'deploy/grafana/provisioning/dashboards/validators.json');

type Panel = {
  title: string;
  unit: string;
  kind?: 'stat' | 'timeseries';
  queries: readonly [expr: string, legend: string][];
};
type Row = { title: string; panels: readonly Panel[] };

const node = 'instance=~"$instance"';
const onChain = `${node},chain_id=~"$chain"`;

const rows: readonly Row[] = [
  {
    title: 'Health',
    panels: [
      { title: 'Nodes up', unit: 'short', kind: 'stat', queries: [[`sum(ocr2_up{${node}})`, 'up']] },
      {
        title: 'Store and bus',
        unit: 'short',
        queries: [
          [`ocr2_db_up{${node}}`, 'store {{instance}}'],
          [`ocr2_nats_up{${node}}`, 'bus {{instance}}'],
        ],
      },
      {
        title: 'Configuration',
        unit: 'short',
        queries: [
          [`ocr2_config_version{${node}}`, 'version {{instance}}'],
          [`ocr2_config_signers{${node}}`, 'signers {{instance}}'],
        ],
      },
    ],
  },
  {
    title: 'Freshness',
    panels: [
      {
        title: 'Age of the last price',
        unit: 's',
        queries: [
          [`time() - max by (chain_id, strategy) (ocr2_strategy_last_update_seconds{${onChain}})`, '{{strategy}}'],
        ],
      },
      {
        title: 'Time until it expires',
        unit: 's',
        queries: [[`max by (chain_id, strategy) (ocr2_strategy_expiry_seconds{${onChain}}) - time()`, '{{strategy}}']],
      },
      {
        title: 'Stale, paused, unfunded',
        unit: 'short',
        queries: [
          [`max by (strategy) (ocr2_strategy_update_stale{${onChain}})`, 'stale {{strategy}}'],
          [`max by (strategy) (ocr2_strategy_paused{${onChain}})`, 'paused {{strategy}}'],
          [`max by (strategy) (ocr2_strategy_unfunded{${onChain}})`, 'unfunded {{strategy}}'],
        ],
      },
    ],
  },
  {
    title: 'Rounds',
    panels: [
      { title: 'Epoch', unit: 'short', queries: [[`ocr2_epoch{${node}}`, '{{instance}}']] },
      {
        title: 'Completed rounds per hour',
        unit: 'short',
        queries: [[`increase(ocr2_completed_rounds_total{${node}}[1h])`, '{{instance}}']],
      },
      {
        title: 'Observations that count',
        unit: 'percentunit',
        queries: [
          [
            `increase(ocr2_included_observations_total{${node}}[6h]) / increase(ocr2_sent_observations_total{${node}}[6h])`,
            '{{instance}}',
          ],
        ],
      },
      {
        title: 'Changes of epoch per hour',
        unit: 'short',
        queries: [[`sum by (reason) (increase(ocr2_epoch_changes_total{${node}}[1h]))`, '{{reason}}']],
      },
    ],
  },
  {
    title: 'Phases',
    panels: [
      {
        title: 'Phases by result',
        unit: 'short',
        queries: [
          [`sum by (phase, result) (increase(ocr2_plugin_phase_total{${node}}[1h])) > 0`, '{{phase}} {{result}}'],
        ],
      },
      {
        title: 'Phase time, 95 %',
        unit: 's',
        queries: [
          [
            `histogram_quantile(0.95, sum by (phase, le) (rate(ocr2_plugin_phase_duration_seconds_bucket{${node}}[1h])))`,
            '{{phase}}',
          ],
        ],
      },
      {
        title: 'Observations by result',
        unit: 'short',
        queries: [
          [
            `sum by (chain_id, result) (increase(ocr2_plugin_observations_total{${onChain}}[1h]))`,
            '{{chain_id}} {{result}}',
          ],
        ],
      },
      {
        title: 'Dropped for want of observations',
        unit: 'short',
        queries: [
          [`sum by (chain_id) (increase(ocr2_plugin_insufficient_observations_total{${onChain}}[1h]))`, '{{chain_id}}'],
        ],
      },
      {
        title: 'Signing time, 99 %',
        unit: 's',
        queries: [
          [
            `histogram_quantile(0.99, sum by (kind, le) (rate(ocr2_sign_duration_seconds_bucket{${node}}[15m])))`,
            '{{kind}}',
          ],
        ],
      },
      {
        title: 'Signatures refused',
        unit: 'short',
        queries: [[`sum by (reason) (increase(ocr2_sign_refused_total{${node}}[1h]))`, '{{reason}}']],
      },
    ],
  },
  {
    title: 'Transmission',
    panels: [
      {
        title: 'Transmissions by status',
        unit: 'short',
        queries: [[`sum by (status) (increase(ocr2_transmit_total{${onChain}}[1h]))`, '{{status}}']],
      },
      {
        title: 'From stage to outcome, 95 %',
        unit: 's',
        queries: [
          [
            `histogram_quantile(0.95, sum by (result, le) (rate(ocr2_transmit_duration_seconds_bucket{${node}}[6h])))`,
            '{{result}}',
          ],
        ],
      },
      {
        title: 'Prices the contracts refused',
        unit: 'short',
        queries: [[`sum by (reason) (increase(ocr2_strategy_rejected_total{${onChain}}[1h]))`, '{{reason}}']],
      },
      {
        title: 'Transactions',
        unit: 'short',
        queries: [
          [`sum by (chain_id) (ocr2_tx_pending{${onChain}})`, 'pending {{chain_id}}'],
          [`sum by (chain_id) (increase(ocr2_tx_replaced_total{${onChain}}[1h]))`, 'replaced {{chain_id}}'],
          [`sum by (chain_id) (increase(ocr2_tx_reorged_total{${onChain}}[1h]))`, 'reorged {{chain_id}}'],
        ],
      },
      {
        title: 'Balance of the transmitter',
        unit: 'short',
        queries: [[`ocr2_transmitter_balance_wei{${onChain}} / 1e18`, '{{instance}} {{chain_id}}']],
      },
    ],
  },
  {
    title: 'RPC and network',
    panels: [
      {
        title: 'Age of the newest block',
        unit: 's',
        queries: [[`ocr2_rpc_head_lag_seconds{${onChain}}`, '{{instance}} {{chain_id}} rpc {{rpc}}']],
      },
      {
        title: 'Failed RPC requests per minute',
        unit: 'short',
        queries: [
          [
            `sum by (instance, chain_id, rpc) (rate(ocr2_rpc_requests_total{${onChain},result="error"}[5m])) * 60`,
            '{{instance}} {{chain_id}} rpc {{rpc}}',
          ],
        ],
      },
      {
        title: 'Messages by what became of them',
        unit: 'short',
        queries: [[`sum by (result) (rate(ocr2_messages_received_total{${node}}[5m])) * 60`, '{{result}}']],
      },
      {
        title: 'Silence of a peer',
        unit: 's',
        queries: [[`time() - ocr2_peer_last_seen_seconds{${node}}`, '{{instance}} hears {{peer}}']],
      },
    ],
  },
];

const datasource = { type: 'prometheus', uid: 'prometheus' };
const [width, height] = [8, 7];

function panelsOf(): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    });
    y += 1;
    row.panels.forEach(({ title, unit, kind = 'timeseries', queries }, i) => {
      panels.push({
        id: panels.length + 1,
        type: kind,
        title,
        datasource,
        gridPos: { x: (i % 3) * width, y: y + Math.floor(i / 3) * height, w: width, h: height },
        fieldConfig: { defaults: { unit }, overrides: [] },
        targets: queries.map(([expr, legendFormat], n) => ({ refId: 'ABC'[n], expr, legendFormat, datasource })),
      });
    });
    y += Math.ceil(row.panels.length / 3) * height;
  }
  return panels;
}

const variable = (name: string, label: string) => ({
  name,
  label,
  type: 'query',
  datasource,
  query: { query: `label_values(ocr2_transmit_total, ${name === 'chain' ? 'chain_id' : name})`, refId: name },
  includeAll: true,
  multi: true,
  current: { text: 'All', value: '$__all' },
  refresh: 2,
});

/** The dashboard as Grafana reads it. */
export const dashboard = (): string =>
  `${JSON.stringify(
    {
      uid: 'castellan-validators',
      title: 'Validators',
      tags: ['castellan'],
      schemaVersion: 39,
      editable: false,
      refresh: '30s',
      time: { from: 'now-6h', to: 'now' },
      templating: { list: [variable('instance', 'Node'), variable('chain', 'Chain')] },
      panels: panelsOf(),
    },
    null,
    2,
  )}\n`;

if (import.meta.main) writeFileSync(dashboardFile, dashboard());
