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
}

/** A question that has to be answered first. Escape and a press outside close it. */
export function Dialog({ title, isOpen, onClose, children, actions, wide }: DialogProps) {
  return (
    <ModalOverlay className="overlay" isDismissable isOpen={isOpen} onOpenChange={(open) => !open && onClose()}>
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
