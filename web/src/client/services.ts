import type { publicRoutes } from '@castellan/contracts';
import type { QueryClient } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { Config as WalletConfig } from 'wagmi';
import type { Api } from './api.ts';
import type { AppConfig } from './config.ts';
import type { Session } from './session.ts';

/** What the page is made of; built once in main, replaced by fakes in tests. */
export type Services = {
  config: AppConfig;
  api: Api;
  session: Session;
  queries: QueryClient;
  /** How long the server itself may let an answer stand, in milliseconds. */
  staleMs: (route: keyof typeof publicRoutes) => number;
  /** Loaded when first asked for; always the same promise. */
  wallets: () => Promise<WalletConfig>;
};

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useApp(): Services {
  const services = use(ServicesContext);
  if (services === undefined) throw new Error('ServicesContext is missing above this component.');
  return services;
}
