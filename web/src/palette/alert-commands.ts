import type { Alert } from '../alerts/queries.ts';
import type { MyVault } from '../data/queries.ts';
import { sameAddress } from '../format/address.ts';
import { alertsPathOf } from '../navigation/paths.ts';
import type { Command } from './commands.ts';

type Inputs = {
  alerts: readonly Alert[];
  own: readonly MyVault[];
  go: (path: string) => void;
  acknowledge: (alert: Alert) => void;
};

const isManaged = (alert: Alert, own: readonly MyVault[]): boolean =>
  own.some(
    ({ chain_id, vault_address, my_role }) =>
      my_role !== 'view_only' && chain_id === alert.chain_id && sameAddress(vault_address, alert.vault_address),
  );

/** The active alerts, and taking each on. */
export const alertCommands = ({ alerts, own, go, acknowledge }: Inputs): Command[] =>
  alerts.flatMap((alert): Command[] => {
    const about = `${alert.severity} ${alert.message} ${alert.vault_address}`;
    return [
      {
        id: `alert:${alert.alert_id}`,
        group: 'Alerts',
        name: alert.title,
        detail: alert.vault_name,
        also: about,
        run: () => go(alertsPathOf(alert)),
      },
      {
        id: `acknowledge:${alert.alert_id}`,
        group: 'Alerts',
        name: `Acknowledge ${alert.title}`,
        detail: alert.vault_name,
        also: 'ack take on',
        ...(isManaged(alert, own) ? {} : { refused: 'Only its managers may' }),
        run: () => acknowledge(alert),
      },
    ];
  });
