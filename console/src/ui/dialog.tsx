import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import './dialog.css';

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** The buttons, the main one last. */
  actions?: ReactNode;
  wide?: boolean;
  /** Only its own buttons close it: what it shows is lost then. */
  keepsOpen?: boolean;
}

/** A question that has to be answered first. Escape and a press outside close it, unless it keeps open. */
export function Dialog({ title, isOpen, onClose, children, actions, wide, keepsOpen = false }: DialogProps) {
  return (
    <ModalOverlay
      className="overlay"
      isDismissable={!keepsOpen}
      isKeyboardDismissDisabled={keepsOpen}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className={wide ? 'modal wide' : 'modal'}>
        <AriaDialog className="dialog">
          <Heading slot="title">{title}</Heading>
          {children}
          {actions && <div className="actions">{actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
