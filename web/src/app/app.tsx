import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router';
import { type Services, ServicesContext } from '../client/services.ts';
import { CastellanOfViewer } from '../session/castellan.tsx';
import { AppRoutes } from './router.tsx';

export function App({ services }: { services: Services }) {
  return (
    <ServicesContext value={services}>
      <QueryClientProvider client={services.queries}>
        <CastellanOfViewer>
          <BrowserRouter>
            <AppRoutes />
          </BrowserRouter>
        </CastellanOfViewer>
      </QueryClientProvider>
    </ServicesContext>
  );
}
