import { CastellanProvider } from '@castellan/react';
import type { ReactNode } from 'react';
import { useApp } from '../client/services.ts';
import { useViewer } from './use-session.ts';

/** Gives the hooks of `@castellan/react` the API of this page, and keeps what one wallet read from another. */
export function CastellanOfViewer({ children }: { children: ReactNode }) {
  const { api } = useApp();
  return (
    <CastellanProvider client={api} viewer={useViewer()}>
      {children}
    </CastellanProvider>
  );
}
