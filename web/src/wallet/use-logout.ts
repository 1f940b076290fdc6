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

/** Logs out where the reader asks for it: here the session ends at once, however long the server takes. */
export function useLeave(): () => Promise<void> {
  const { session } = useApp();
  const logout = useLogout();
  return async () => {
    const revoked = logout();
    session.end('logout');
    toast({ tone: 'info', title: 'You are logged out' });
    await revoked;
  };
}
