import type { NodeConfig } from '../config/load.ts';

/** How the node's own database is reached: the URL with the pool and the timeouts of the configuration. */
export function databaseOf({ database, node }: Pick<NodeConfig, 'database' | 'node'>): {
  uri: string;
  database: string;
} {
  const wanted = {
    maxPoolSize: database.max_connections,
    serverSelectionTimeoutMS: database.timeout,
    socketTimeoutMS: database.timeout,
    waitQueueTimeoutMS: database.timeout,
  };
  const missing = Object.entries(wanted).filter(([name]) => !database.url.includes(`${name}=`));
  const options = missing.map(([name, value]) => `${name}=${value}`).join('&');
  const hasPath = /^[a-z+]+:\/\/[^/]+\//.test(database.url);
  const joint = database.url.includes('?') ? '&' : hasPath ? '?' : '/?';
  return {
    uri: options === '' ? database.url : `${database.url}${joint}${options}`,
    database: database.name ?? `castellan_validator_${node.node_id.replaceAll('-', '_')}`.slice(0, 38),
  };
}
