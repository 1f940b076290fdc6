import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router';
import { AppRoutes } from './router.tsx';
import { type Services, ServicesContext } from './services.ts';

export function App({ services }: { services: Services }) {
  return (
    <ServicesContext value={services}>
      <QueryClientProvider client={services.queries}>
        <BrowserRouter>
          <AppRoutes />
        </BrowserRouter>
      </QueryClientProvider>
    </ServicesContext>
  );
}
