import type { Hex } from 'viem';
import { nameOf, subjectsOf } from './subjects.ts';

/** Enough of a key to tell users apart, short enough for the name of a variable. */
const userOf = (offchainKey: Hex): string => `oracle-${nameOf(offchainKey).slice(0, 16)}`;

/** The variable of the server's environment that holds a user's password. */
export const passwordVariableOf = (user: string): string => `NATS_${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;

/** The users of `validatorsConf`: that of the services, then one for each key. */
export const usersOf = (offchainKeys: readonly Hex[]): string[] => ['services', ...offchainKeys.map(userOf)];

const quoted = (subjects: readonly string[]) => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;

function oracleUser(network: string, offchainKey: Hex): string {
  const { publish, subscribe } = subjectsOf(network, offchainKey);
  const user = userOf(offchainKey);
  return `      {
        user: ${user}, password: $${passwordVariableOf(user)}
        permissions: {
          publish: { allow: ${quoted(publish)} }
          subscribe: { allow: ${quoted(subscribe)} }
        }
      }`;
}

/** Accounts of a NATS server, for the oracles that have these off-chain keys, in any order. */
export function validatorsConf(network: string, offchainKeys: readonly Hex[]): string {
  const keys = [...new Set(offchainKeys.map((key) => key.toLowerCase() as Hex))].sort();
  return `# Accounts of a bus that carries the protocol of the validators. Made by
#
#   castellan-validator bus permissions --config config.toml > validators.conf
#
# from the off-chain keys of the network's configuration; make it again when governance changes them, and reload the server
# (nats-server --signal reload). The server's configuration includes it: include ./validators.conf
#
# The validators have an account of their own: nobody outside it sees their messages, and they see nobody's. Inside, each may
# publish only under its own key and hear only what is for all or for it. The signature in each message decides all the same; this
# file keeps strangers from spending the validators' time.
#
# Passwords come from the environment of the server; a node finds its own in the file that bus.credentials_file names, as
# user:password.

accounts {
  CASTELLAN {
    jetstream: enabled
    users: [
      { user: services, password: $${passwordVariableOf('services')} }
    ]
  }
  VALIDATORS {
    users: [
${keys.map((key) => oracleUser(network, key)).join('\n')}
    ]
  }
}
`;
}
