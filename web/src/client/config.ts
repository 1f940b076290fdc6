import type { AppChain, AppConfig, DemoWallet } from './config-shape.ts';

export type { AppChain, AppConfig, DemoWallet };

export async function loadConfig(get: typeof fetch): Promise<AppConfig> {
  const response = await get('/config.json', { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`The server answered ${response.status} when asked how it is set up.`);
  // Most pages come with it; the shapes are loaded only where it has to be asked for.
  const { AppConfig: shape } = await import('./config-shape.ts');
  return shape.parse(await response.json());
}

export const chainBySlug = (config: AppConfig, slug: string): AppChain | undefined =>
  config.chains.find((chain) => chain.slug === slug.toLowerCase() || String(chain.chain_id) === slug);

export const chainById = (config: AppConfig, chainId: number): AppChain | undefined =>
  config.chains.find((chain) => chain.chain_id === chainId);
