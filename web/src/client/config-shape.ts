import { z } from 'zod';

const AppChain = z.object({
  chain_id: z.int().positive(),
  slug: z.string(),
  name: z.string(),
  /** Named where the page itself may reach a node; wallets bring their own. */
  rpc_url: z.string().nullish(),
  explorer_url: z.string().nullish(),
  native_symbol: z.string(),
});
export type AppChain = z.infer<typeof AppChain>;

const DemoWallet = z.object({
  label: z.string(),
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  private_key: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
});
export type DemoWallet = z.infer<typeof DemoWallet>;

/** What the server sends the page about its environment. Demo wallets come on a devnet only. */
export const AppConfig = z.object({
  public_url: z.string(),
  devnet: z.boolean(),
  chains: z.array(AppChain).min(1),
  demo_wallets: z.array(DemoWallet).default([]),
  /** Where wallets are reached over WalletConnect's relay. */
  walletconnect_project_id: z.string().nullish(),
  /** Safe wallets that may open the page as a Safe app. */
  safe_app_origins: z.array(z.string()).default([]),
});
export type AppConfig = z.infer<typeof AppConfig>;
