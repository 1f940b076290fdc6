import { QueryClient } from '@tanstack/react-query';

const statusOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;

/** Only what may pass by itself is asked again: no answer at all, 429 and 5xx. */
export const mayPass = (error: unknown): boolean => {
  const status = statusOf(error);
  return typeof status !== 'number' || status === 429 || status >= 500;
};

export const createQueries = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && mayPass(error),
        staleTime: 5_000,
        refetchOnWindowFocus: true,
      },
    },
  });
