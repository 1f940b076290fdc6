import type { NodeConfig } from './load.ts';

const LONGEST = 38;

/** Name of the node's own database. */
export const databaseOf = ({ database, node }: Pick<NodeConfig, 'database' | 'node'>): string =>
  database.name ?? `castellan_validator_${node.node_id}`.replaceAll('-', '_').slice(0, LONGEST);
