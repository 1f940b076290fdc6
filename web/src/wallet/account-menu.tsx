import { ChevronDown, LogOut, Wallet } from 'lucide-react';
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useDisconnect } from 'wagmi';
import { useApp } from '../app/services.ts';
import { Button } from '../design/button.tsx';
import { toast } from '../design/toast.tsx';
import { shortHex } from '../format/address.ts';
import { useSession } from '../session/use-session.ts';
import { openSignIn } from './prompt.ts';
import { useLogout } from './use-logout.ts';

export function AccountMenu() {
  const state = useSession();
  const { session } = useApp();
  const logout = useLogout();
  const disconnect = useDisconnect();
  if (state.status !== 'signed_in') {
    return (
      <Button look="primary" onPress={openSignIn}>
        <Wallet size={16} aria-hidden="true" />
        {state.status === 'ended' ? 'Sign in again' : 'Sign in'}
      </Button>
    );
  }
  const leave = async () => {
    await logout();
    session.end('logout');
    disconnect.mutate({});
    toast({ tone: 'info', title: 'You are logged out' });
  };
  return (
    <MenuTrigger>
      <AriaButton
        aria-label={`Account ${state.address}`}
        className="inline-flex h-9 items-center gap-2 whitespace-nowrap rounded-control border bg-raised px-2 font-mono sm:px-3 text-13 hover:border-line-strong"
      >
        {shortHex(state.address)}
        <ChevronDown size={14} aria-hidden="true" className="text-muted" />
      </AriaButton>
      <Popover placement="bottom end" className="rounded-control border bg-surface p-1 shadow-[var(--shadow)]">
        <Menu aria-label="Account" className="min-w-44 outline-none">
          <MenuItem
            onAction={leave}
            className="flex min-h-9 cursor-pointer items-center gap-2 rounded px-3 text-13 data-[focused]:bg-raised"
          >
            <LogOut size={14} aria-hidden="true" />
            Log out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
