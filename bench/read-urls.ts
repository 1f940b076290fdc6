import { type Route, routes } from '@castellan/contracts';

type Values = Readonly<Record<string, string | undefined>>;
/** The parsed answer of a read; undefined for a refusal. */
type Ask = (route: Route, url: string) => Promise<unknown>;
/** A GET of the API and its address; undefined where the system has nothing of what it reads. */
type ReadUrl = { readonly route: Route; readonly url: string | undefined };

const reads = (Object.values(routes) as unknown as Route[]).filter(
  ({ method, media }) => method === 'GET' && media !== 'text/event-stream',
);

type Network = {
  config?: { digest: string } | null;
  rounds?: readonly { epoch: number; round: number }[];
};
const textOf = (value: number | undefined): string | undefined => (value === undefined ? undefined : String(value));

/** Lists of what is read by its id, where they are not at the address above it. */
const lists: Readonly<Record<string, string>> = {
  merkleConfig: '/api/v1/merkle/configs/versions',
  merklePublishJob: '/api/v1/merkle/jobs',
};

/** Queries to try, the shortest first, by the names of values. */
const queries = [
  [],
  ['chain_id'],
  ['vault_address'],
  ['vault_id'],
  ['vaults'],
  ['wallet'],
  ['period'],
  ['chain_id', 'vault_address'],
  ['format', 'dataset'],
  ['chain_id', 'vault_address', 'version'],
];

function urlOf(route: Route, values: Values): string | undefined {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  const query = queries
    .map((names) => Object.fromEntries(names.map((name) => [name, values[name] ?? ''])))
    .find((each) => route.query.safeParse(each).success);
  if (path.includes('{') || query === undefined) return undefined;
  return `${path}?${new URLSearchParams(query)}`;
}

/** A field of the first item of a list; undefined when the list is empty. */
async function firstOf(path: string, field: string, values: Values, ask: Ask): Promise<string | undefined> {
  const route = reads.find((each) => each.path === path);
  const url = route && urlOf(route, values);
  if (url === undefined) return undefined;
  const items = Object.values((await ask(route as Route, url)) ?? {}).find(Array.isArray);
  return (items?.[0] as Record<string, string> | undefined)?.[field];
}

/** The addresses of all GETs, with a vault, and with ids of what a running system has. */
export async function readUrls(vault: { chain_id: number; vault_address: string }, ask: Ask): Promise<ReadUrl[]> {
  const { chain_id, vault_address } = vault;
  const vault_id = `${chain_id}:${vault_address}`;
  const of = { chain_id: `${chain_id}`, vault_address, vault_id, vaults: vault_id };
  const period = new Date().toISOString().slice(0, 7);
  const given = { ...of, version: '1', format: 'csv', dataset: 'pps', period };
  const wallet = await firstOf(routes.analyticsTopHolders.path, 'wallet_address', given, ask);
  const source_address = await firstOf(routes.sourceCatalogue.path, 'source_address', given, ask);
  const values = { ...given, wallet, source_address };
  const tx_hash = await firstOf(routes.analyticsTransactions.path, 'tx_hash', values, ask);
  const publication = routes.publishedMerkleTree as unknown as Route;
  const published = (await ask(publication, urlOf(publication, values) ?? '')) as { data?: { artifact_hash?: string } };
  const hash = published?.data?.artifact_hash;
  const validators = routes.validators as unknown as Route;
  const network = (await ask(validators, urlOf(validators, values) ?? '')) as Network | undefined;
  const round = network?.rounds?.[0];
  const ofRound = { config_digest: network?.config?.digest, epoch: textOf(round?.epoch), round: textOf(round?.round) };
  const found: ReadUrl[] = [];
  for (const route of reads) {
    const [parent] = route.path.split(/\/\{(?:channel_)?id\}/);
    const isOfList = parent !== route.path;
    const id = isOfList ? await firstOf(lists[route.id] ?? String(parent), 'id', values, ask) : undefined;
    found.push({ route, url: urlOf(route, { ...values, ...ofRound, tx_hash, hash, id, channel_id: id }) });
  }
  return found;
}
