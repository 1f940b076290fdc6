import { inboxOf, oracleSubjects, oracleUserOf, userBlock } from '@castellan/service-kit/bus';
import type { Hex } from 'viem';
import { nameOf, subjectsOf } from './subjects.ts';

/** The user of a validator; enough of its key to be unique, short enough for the name of a variable. */
const userOf = (offchainKey: Hex): string => oracleUserOf(nameOf(offchainKey).slice(0, 16));

/** The users of `validatorsConf`, one for each key. */
export const usersOf = (offchainKeys: readonly Hex[]): string[] => offchainKeys.map(userOf);

/** Where the validators' messages and their reports belong. */
export type Networks = { network: string; namespace: string };

function oracleUser({ network, namespace }: Networks, offchainKey: Hex): string {
  const { publish, subscribe } = subjectsOf(network, offchainKey);
  const user = userOf(offchainKey);
  return userBlock(user, {
    publish: { allow: [...publish, ...oracleSubjects(namespace)], deny: [] },
    subscribe: { allow: [...subscribe, `${inboxOf(user)}.>`], deny: [] },
  });
}

/** The account of the oracles that have these off-chain keys, in any order: part of the server's `accounts { ... }`. */
export function validatorsConf(networks: Networks, offchainKeys: readonly Hex[]): string {
  const keys = [...new Set(offchainKeys.map((key) => key.toLowerCase() as Hex))].sort();
  const imported = oracleSubjects(networks.namespace);
  return `# The validators' account of the bus. Made by
#
#   castellan-validator bus permissions --config config.toml > validators.conf
#
# from the off-chain keys of the network's configuration; make it again when governance changes them, and reload the server
# (nats-server --signal reload). The server's configuration includes it: accounts { include ./validators.conf }
#
# Nobody outside the account sees the validators' messages, and they see nobody's. Inside, each may publish only under its own
# key and hear only what is for all or for it. The signature in each message decides all the same; this file keeps strangers from
# spending the validators' time. What a validator reports of its work goes to the services' streams: those subjects alone are
# imported from their account.
#
# Passwords are variables, defined in passwords.conf; a node finds its own in the file that bus.credentials_file names, as
# user:password, and uses it for the messages and for the reports.

VALIDATORS {
  imports: [
${imported.map((subject) => `    { service: { account: CASTELLAN, subject: ${JSON.stringify(subject)} } }`).join('\n')}
  ]
  users: [
${keys.map((key) => oracleUser(networks, key)).join('\n')}
  ]
}
`;
}
