import { useQueryClient } from '@tanstack/react-query';

/** Reads again whatever the alerts pages show: lists, counts, rules, channels and how far they have come. */
export function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['alerts'] });
}
