import type { Client } from '@castellan/sdk';
import { createContext, createElement, type ReactElement, type ReactNode, use } from 'react';

/** Whom the hooks ask, and for whom. */
export type Castellan = {
  client: Client;
  /** Who is signed in, such as the wallet's address: an answer for one is never shown to another. Empty without anybody. */
  viewer: string;
};

/** What the provider takes. */
export type CastellanProviderProps = { client: Client; viewer?: string | undefined; children?: ReactNode };

const Context = createContext<Castellan | undefined>(undefined);

/** Gives the hooks below it their client; react-query's own provider stands above it. */
export function CastellanProvider({ client, viewer = '', children }: CastellanProviderProps): ReactElement {
  return createElement(Context, { value: { client, viewer } }, children);
}

/** The client and viewer of the provider. @throws Error without one. */
export function useCastellan(): Castellan {
  const castellan = use(Context);
  if (castellan === undefined) throw new Error('CastellanProvider is missing above this component.');
  return castellan;
}
