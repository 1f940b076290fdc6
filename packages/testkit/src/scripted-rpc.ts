import { type CustomTransport, custom } from 'viem';

type Params = readonly unknown[];
/** Answers by method; what a handler throws is the JSON-RPC error. */
export type RpcHandlers = Readonly<Record<string, (params: Params) => unknown>>;

/** A scripted node. */
export type ScriptedRpc = {
  /** For a viem client; nothing is retried. */
  readonly transport: CustomTransport;
  /** Every request made, in order. */
  readonly requests: readonly { method: string; params: Params }[];
  /** Requests that no handler knew. Empty after a test that is complete. */
  readonly unknown: readonly string[];
  /** @throws Error naming the requests that no handler knew, also where the code under test swallowed the failure. */
  verify(): void;
};

/** An EIP-1193 node that answers by script and refuses every other request. */
export function scriptedRpc(handlers: RpcHandlers): ScriptedRpc {
  const requests: { method: string; params: Params }[] = [];
  const unknown: string[] = [];
  const request = async ({ method, params = [] }: { method: string; params?: Params }): Promise<unknown> => {
    requests.push({ method, params });
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    if (handler) return handler(params);
    unknown.push(method);
    throw new Error(`The test does not script ${method}`);
  };
  return {
    transport: custom({ request }, { retryCount: 0 }),
    requests,
    unknown,
    verify: () => {
      if (unknown.length > 0) throw new Error(`The test does not script ${unknown.join(', ')}`);
    },
  };
}
