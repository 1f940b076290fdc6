import { useApp } from '../client/services.ts';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';

/** Ends the session on the server. The local one ends whatever the server says; a failure is shown, not hidden. */
export function useLogout(): () => Promise<void> {
  const { api } = useApp();
  return async () => {
    try {
      await api.logout({});
    } catch (error) {
      const { code, detail } = explain(error);
      if (code?.startsWith('TOKEN_')) return;
      toast({
        tone: 'warn',
        title: 'Logged out on this device only',
        detail: `The server could not be reached, so the token stays valid until it expires. ${detail}`,
      });
    }
  };
}
