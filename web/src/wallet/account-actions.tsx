import { ChevronDown, KeyRound, LogOut } from 'lucide-react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { useApp } from '../client/services.ts';
import { toast } from '../design/toast.tsx';
import { sessionsPath } from '../navigation/paths.ts';
import { AccountShort } from './account-short.tsx';
import { useLogout } from './use-logout.ts';

const itemLook = 'flex min-h-9 cursor-pointer items-center gap-2 rounded px-3 text-13 data-[focused]:bg-raised';

/** The signed-in wallet and what it can do about its session. */
export default function AccountActions({ address }: { address: string }) {
  const { session } = useApp();
  const navigate = useNavigate();
  const logout = useLogout();
  const leave = async () => {
    await logout();
    session.end('logout');
    toast({ tone: 'info', title: 'You are logged out' });
  };
  return (
    <MenuTrigger>
      <Button className="inline-flex h-9 items-center gap-2 whitespace-nowrap rounded-control border bg-raised px-1.5 font-mono text-12 hover:border-line-strong sm:px-3 sm:text-13">
        <span className="sr-only">{`Account ${address}`}</span>
        <span aria-hidden="true">
          <AccountShort address={address} />
        </span>
        <ChevronDown size={14} aria-hidden="true" className="hidden text-muted sm:block" />
      </Button>
      <Popover placement="bottom end" className="rounded-control border bg-surface p-1 shadow-[var(--shadow)]">
        <Menu aria-label="Account" className="min-w-44 outline-none">
          <MenuItem onAction={() => navigate(sessionsPath)} className={itemLook}>
            <KeyRound size={14} aria-hidden="true" />
            Sessions and tokens
          </MenuItem>
          <MenuItem onAction={leave} className={itemLook}>
            <LogOut size={14} aria-hidden="true" />
            Log out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
