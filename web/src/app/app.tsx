import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from 'react-router';
import { WagmiProvider } from 'wagmi';
import type { createRouter } from './router.tsx';
import { type Services, ServicesContext } from './services.ts';

export function App({ services, router }: { services: Services; router: ReturnType<typeof createRouter> }) {
  return (
    <ServicesContext value={services}>
      <WagmiProvider config={services.wallets}>
        <QueryClientProvider client={services.queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </WagmiProvider>
    </ServicesContext>
  );
}
