import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import { keys, POLL_MS } from '../data/queries.ts';

export type Network = Awaited<ReturnType<Api['validators']>>;
export type Pricing = Awaited<ReturnType<Api['transmissions']>>;
export type NetworkConfig = NonNullable<Network['config']>;
export type NetworkNode = Network['nodes'][number];
export type Round = Network['rounds'][number];
/** A round of a table: one that ended, or one that began and never did. */
export type ListedRound = Omit<Round, 'leader' | 'outcome' | 'finished_at'> & {
  leader: number | null;
  outcome: Round['outcome'] | 'lost';
  started_at?: string | null;
  finished_at: string | null;
  late?: readonly number[];
};
export type Transmission = Network['transmissions'][number];
export type Incident = Network['incidents'][number];
/** What names a node: of more than this nothing is asked where only names are shown. */
export type Named = Pick<NetworkNode, 'index' | 'node_id'>;

/** Polled: no push reports what happens to the network. */
export const networkQuery = (api: Api) =>
  queryOptions({ queryKey: keys.network, queryFn: () => api.validators({}), refetchInterval: POLL_MS });

export const pricingQuery = (api: Api, chainId: number, address: string) =>
  queryOptions({
    queryKey: keys.transmissions(chainId, address),
    queryFn: () =>
      api.transmissions({ params: { chain_id: String(chainId), vault_address: address }, query: { limit: '10' } }),
  });

/** How a node is called: the name it gave itself, else its place in the configuration. */
export const nodeName = (nodes: readonly Named[], index: number): string =>
  nodes.find((node) => node.index === index)?.node_id ?? `node ${index}`;

/** Names in a row: "oracle-1, oracle-2 and oracle-3". */
export const listed = new Intl.ListFormat('en-GB', { type: 'conjunction' });

export const nodeNames = (nodes: readonly Named[], indices: readonly number[]): string =>
  listed.format(indices.map((index) => nodeName(nodes, index)));

/** How many of the nodes answer, and how many must so that prices can be agreed. */
export function answering({ nodes }: Pick<Network, 'nodes'>, { quorum, f }: Pick<NetworkConfig, 'quorum' | 'f'>) {
  return { alive: nodes.filter(({ status }) => status === 'ok').length, needed: Math.max(quorum, 2 * f + 1) };
}

/** Places of the nodes a round knows of, ascending: all of its configuration. */
export const membersOf = ({
  observers,
  signers,
  missing,
}: Pick<Round, 'observers' | 'signers' | 'missing'>): number[] =>
  [...new Set([...observers, ...signers, ...missing])].sort((a, b) => a - b);

/** Transmissions that carried a price of this round. Numbers of rounds begin anew with each configuration, times do not. */
export const sentOf = (
  round: Pick<Round, 'epoch' | 'round' | 'prices'>,
  transmissions: readonly Transmission[],
): Transmission[] =>
  transmissions.filter(
    (sent) =>
      sent.epoch === round.epoch &&
      sent.round === round.round &&
      round.prices.some(
        ({ strategy_address, report_timestamp }) =>
          strategy_address === sent.strategy_address && report_timestamp === sent.report_timestamp,
      ),
  );

const severity: Record<Incident['kind'], number> = { no_rounds: 0, strategy_stale: 1, node_silent: 2 };

/** What costs most first; a value that is not known may be any. */
export const bySeverity = (incidents: readonly Incident[]): Incident[] =>
  [...incidents].sort(
    (left, right) =>
      severity[left.kind] - severity[right.kind] ||
      (right.value_at_risk_usd ?? Number.MAX_VALUE) - (left.value_at_risk_usd ?? Number.MAX_VALUE),
  );
