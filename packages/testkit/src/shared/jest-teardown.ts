/** jest's `globalTeardown` of the integration project: ends what `jest-setup.ts` started. */
export default async function stopSharedServers(): Promise<void> {
  const { castellanTestServers = [] } = globalThis as { castellanTestServers?: (() => Promise<void>)[] };
  for (const stop of castellanTestServers.splice(0).reverse()) await stop();
}
