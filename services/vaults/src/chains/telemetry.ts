import type { EndpointHealth, EndpointWatching, RpcObservation, RpcRefusal } from '@castellan/chain';
import { Counter, Gauge, Histogram, type Registry, secondsBuckets } from '@castellan/service-kit';

/** What both processes of this service measure of the nodes they ask. `rpc` is an endpoint's place in the configuration. */
export function rpcMetrics(registers: Registry[]) {
  const requests = new Histogram({
    name: 'rpc_request_duration_seconds',
    help: 'Time of a JSON-RPC request including retries; a revert counts as ok',
    labelNames: ['chain_id', 'method', 'outcome'],
    buckets: secondsBuckets,
    registers,
  });
  const refusals = new Counter({
    name: 'rpc_refusals_total',
    help: 'Refusals of a provider for a limit of its own, or because it does not have a block',
    labelNames: ['chain_id', 'rpc', 'kind'],
    registers,
  });
  const watch: EndpointWatching = { onHealth: endpointMetrics(registers) };
  return {
    watch,
    observeRpc: ({ chainId, method, ms, ok }: RpcObservation): void =>
      requests.observe({ chain_id: String(chainId), method, outcome: ok ? 'ok' : 'unavailable' }, ms / 1000),
    observeRefusal: ({ chainId, endpoint, kind }: RpcRefusal): void =>
      refusals.inc({ chain_id: String(chainId), rpc: endpoint, kind }),
  };
}

/** How each endpoint is: whether it can be used, how far it is behind the others, since when its head stands still. */
function endpointMetrics(registers: Registry[]) {
  const labelNames = ['chain_id', 'rpc'] as const;
  const usable = new Gauge({
    name: 'rpc_endpoint_usable',
    help: '1 while an RPC answers, serves the chain, and is at its head',
    labelNames,
    registers,
  });
  const lag = new Gauge({
    name: 'rpc_endpoint_lag_blocks',
    help: 'Blocks that an RPC is behind the others',
    labelNames,
    registers,
  });
  const headAge = new Gauge({
    name: 'rpc_endpoint_head_age_seconds',
    help: 'How long an RPC has had the same head',
    labelNames,
    registers,
  });
  const checks = new Counter({
    name: 'rpc_endpoint_checks_total',
    help: 'Looks at an RPC by result: ok, ahead, behind, stalled, unavailable, wrong_chain_id',
    labelNames: ['chain_id', 'rpc', 'result'],
    registers,
  });
  return (chainId: number, { endpoint, result, lagBlocks, headAgeMs }: EndpointHealth): void => {
    const labels = { chain_id: String(chainId), rpc: endpoint.name };
    usable.set(labels, result === 'ok' ? 1 : 0);
    if (lagBlocks !== null) lag.set(labels, Number(lagBlocks));
    if (headAgeMs !== null) headAge.set(labels, headAgeMs / 1000);
    checks.inc({ ...labels, result });
  };
}
