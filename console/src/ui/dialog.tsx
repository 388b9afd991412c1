import { useEffect, useRef, type ReactNode } from 'react';
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
  /** Only its own buttons close it, because closing loses what it shows. */
  keepsOpen?: boolean;
}

/** A modal question. Escape and a press outside close it, unless `keepsOpen`. */
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
          <DialogKeys />
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

const FIELDS = 'input:not([type=hidden]), select, textarea';
/** The submit button of its form, otherwise the main one. */
const SUBMITS = 'button[type=submit], .actions .button.main, .actions .button.danger';

/** Focuses the first field when the dialog opens; `Ctrl Enter` in any field submits. */
function DialogKeys() {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const dialog = place.current!.closest<HTMLElement>('[role=dialog]')!;
    if (!dialog.contains(document.activeElement) || document.activeElement === dialog)
      dialog.querySelector<HTMLElement>(`:is(${FIELDS}):enabled`)?.focus();
    const onKey = (event: KeyboardEvent) => {
      const isOrder = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat;
      if (!isOrder || !(event.target as HTMLElement).matches(FIELDS)) return;
      event.preventDefault();
      dialog.querySelector<HTMLElement>(`:is(${SUBMITS}):enabled`)?.click();
    };
    dialog.addEventListener('keydown', onKey);
    return () => dialog.removeEventListener('keydown', onKey);
  }, []);
  return <span ref={place} hidden />;
}
