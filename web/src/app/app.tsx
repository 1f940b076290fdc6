import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from 'react-router';
import type { createRouter } from './router.tsx';
import { type Services, ServicesContext } from './services.ts';

export function App({ services, router }: { services: Services; router: ReturnType<typeof createRouter> }) {
  return (
    <ServicesContext value={services}>
      <QueryClientProvider client={services.queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ServicesContext>
  );
}
