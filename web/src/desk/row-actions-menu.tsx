import type { RefObject } from 'react';
import { Menu, MenuItem, Popover } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { KeysOfItem } from '../design/keys-of-item.tsx';
import { actionKeys } from '../navigation/keys.ts';
import { vaultActions, wordsOfAction } from '../vault/vault-actions.ts';
import type { DeskRow } from './rows.ts';

type Props = {
  row: DeskRow;
  of: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
};

/** What the reader may do to the vault of a row; each leads to its form, where it is reviewed and signed. */
export default function RowActionsMenu({ row: { vault, slug }, of, isOpen, onOpenChange }: Props) {
  const navigate = useNavigate();
  const label = `Actions on ${vault.name}`;
  return (
    <Popover
      aria-label={label}
      triggerRef={of}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      placement="bottom start"
      className="rounded-control border bg-surface p-1 shadow-[var(--shadow)]"
    >
      <Menu aria-label={label} autoFocus="first" onClose={() => onOpenChange(false)} className="min-w-52 outline-none">
        {vaultActions
          .filter(({ isRare, who }) => isRare !== true && who.includes(vault.my_role))
          .map((action) => (
            <MenuItem
              key={action.id}
              textValue={wordsOfAction(action, vault).name}
              onAction={() => navigate(action.path(slug, vault.vault_address))}
              className="flex min-h-9 cursor-pointer items-center rounded px-3 text-13 data-[focused]:bg-raised"
            >
              {wordsOfAction(action, vault).name}
              <KeysOfItem keys={actionKeys(action.id)} />
            </MenuItem>
          ))}
      </Menu>
    </Popover>
  );
}
