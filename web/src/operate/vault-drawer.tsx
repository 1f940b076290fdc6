import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components';
import { Rail } from './rail.tsx';

/** The menu of a vault over the page, where the screen is too narrow for it beside the page. */
export default function VaultDrawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      isDismissable
      className="fixed inset-0 z-40 bg-[rgb(4_8_11/60%)]"
    >
      <Modal className="h-full w-72 max-w-[85vw] border-r bg-surface">
        <AriaDialog aria-label="Vault menu" className="h-full overflow-y-auto p-4 outline-none">
          <Rail onNavigate={onClose} />
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
