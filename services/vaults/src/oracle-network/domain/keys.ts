/** `<chain_id>:<strategy>`, lower case. */
export const strategyKeyOf = (chainId: number, strategy: string): string => `${chainId}:${strategy.toLowerCase()}`;
