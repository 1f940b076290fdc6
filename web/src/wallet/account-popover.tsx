import { KeyRound, LogOut } from 'lucide-react';
import type { RefObject } from 'react';
import { Menu, MenuItem, Popover } from 'react-aria-components';
import { KeysOfItem } from '../design/keys-of-item.tsx';
import { useGuardedNavigate } from '../design/leaving.ts';
import { shortcuts } from '../navigation/keys.ts';
import { sessionsPath } from '../navigation/paths.ts';
import { useLeave } from './use-logout.ts';

const itemLook = 'flex min-h-9 cursor-pointer items-center gap-2 rounded px-3 text-13 data-[focused]:bg-raised';

type Props = {
  of: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
};

/** What the signed-in wallet can do about its session. */
export default function AccountPopover({ of, isOpen, onOpenChange }: Props) {
  const navigate = useGuardedNavigate();
  const leave = useLeave();
  return (
    <Popover
      aria-label="Account"
      triggerRef={of}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      placement="bottom end"
      className="rounded-control border bg-surface p-1 shadow-[var(--shadow)]"
    >
      <Menu
        aria-label="Account"
        autoFocus="first"
        onClose={() => onOpenChange(false)}
        className="min-w-44 outline-none"
      >
        <MenuItem textValue="Sessions and tokens" onAction={() => navigate(sessionsPath)} className={itemLook}>
          <KeyRound size={14} aria-hidden="true" />
          Sessions and tokens
          <KeysOfItem keys={shortcuts.sessions.keys} />
        </MenuItem>
        <MenuItem textValue="Log out" onAction={leave} className={itemLook}>
          <LogOut size={14} aria-hidden="true" />
          Log out
        </MenuItem>
      </Menu>
    </Popover>
  );
}
